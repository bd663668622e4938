-- Locks are taken before any work is done, so that a migration that has to give way loses none.
LOCK TABLE "countersign"."plan_patches" IN SHARE ROW EXCLUSIVE MODE;--> statement-breakpoint
UPDATE "countersign"."plan_patches" c SET status = 'superseded' FROM "countersign"."plans" p
  WHERE p.id = c.plan_id AND c.status = 'needs_approval' AND c.id IS DISTINCT FROM p.pending_patch;--> statement-breakpoint
CREATE UNIQUE INDEX "plan_patches_waiting" ON "countersign"."plan_patches" USING btree ("plan_id") WHERE status = 'needs_approval';--> statement-breakpoint
-- `pending_patch` is only read by generated columns and by programs of the version before. In the next version, generate these
-- columns without it (readers then add the plans of `plan_patches_waiting`), and drop it with this trigger.
CREATE FUNCTION "countersign"."mark_waiting"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.status = 'needs_approval' THEN
    UPDATE "countersign"."plans" SET pending_patch = NEW.id WHERE id = NEW.plan_id;
  ELSE
    UPDATE "countersign"."plans" SET pending_patch = NULL WHERE id = NEW.plan_id AND pending_patch = NEW.id;
  END IF;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "mark_waiting" AFTER INSERT OR UPDATE OF status ON "countersign"."plan_patches" FOR EACH ROW
  EXECUTE FUNCTION "countersign"."mark_waiting"();
