-- Locks are taken before any work is done, so that a migration that has to give way loses none.
LOCK TABLE "countersign"."plan_patches" IN SHARE ROW EXCLUSIVE MODE;--> statement-breakpoint
LOCK TABLE "countersign"."past_steps" IN ACCESS EXCLUSIVE MODE;--> statement-breakpoint
ALTER TABLE "countersign"."past_steps" ALTER COLUMN "until" DROP NOT NULL;--> statement-breakpoint
CREATE INDEX "past_steps_waiting" ON "countersign"."past_steps" USING btree ("plan_id","position") WHERE until is null or until = since;--> statement-breakpoint
-- A decided change no longer has a version that waits. A program of the version before decides about changes too.
CREATE FUNCTION "countersign"."forget_waiting"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "countersign"."past_steps" w
    WHERE w.plan_id = NEW.plan_id AND w.since = NEW.version AND (w.until IS NULL OR w.until = w.since);
  DELETE FROM "countersign"."plan_versions" v USING "countersign"."plans" p
    WHERE p.id = NEW.plan_id AND v.plan_id = p.id AND v.version = NEW.version AND v.version > p.version;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "forget_waiting" AFTER UPDATE OF status ON "countersign"."plan_patches" FOR EACH ROW
  WHEN (OLD.status = 'needs_approval' AND NEW.status <> 'needs_approval') EXECUTE FUNCTION "countersign"."forget_waiting"();
