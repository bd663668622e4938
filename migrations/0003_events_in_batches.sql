ALTER TABLE "countersign"."plan_steps" DROP CONSTRAINT "plan_steps_plan_id_plans_id_fk";--> statement-breakpoint
-- As in the tables that grow with every attempt, the rows go with their plan all the same.
CREATE OR REPLACE FUNCTION "countersign"."forget_plan"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "countersign"."plan_steps" WHERE plan_id = OLD.id;
  DELETE FROM "countersign"."step_states" WHERE plan_id = OLD.id;
  DELETE FROM "countersign"."step_attempts" WHERE plan_id = OLD.id;
  DELETE FROM "countersign"."plan_edges" WHERE plan_id = OLD.id;
  DELETE FROM "countersign"."plan_events" WHERE plan_id = OLD.id;
  UPDATE "countersign"."resource_pools" p SET in_use = p.in_use - r.amount
    FROM (SELECT pool, sum(amount) AS amount FROM "countersign"."reservations" WHERE plan_id = OLD.id GROUP BY pool) r
    WHERE p.name = r.pool;
  DELETE FROM "countersign"."reservations" WHERE plan_id = OLD.id;
  DELETE FROM "countersign"."resource_waits" WHERE plan_id = OLD.id;
  RETURN OLD;
END $$;
--> statement-breakpoint
ALTER TABLE "countersign"."plan_events" ADD COLUMN "n" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "countersign"."plan_events" ADD COLUMN "step_ids" text[];--> statement-breakpoint
ALTER TABLE "countersign"."plan_events" ADD COLUMN "details" text[];--> statement-breakpoint
UPDATE "countersign"."plan_events" SET "step_ids" = ARRAY["step_id"] WHERE "step_id" IS NOT NULL;--> statement-breakpoint
UPDATE "countersign"."plan_events" SET "details" = ARRAY["detail"] WHERE "detail" IS NOT NULL;--> statement-breakpoint
ALTER TABLE "countersign"."plan_events" DROP COLUMN "step_id";--> statement-breakpoint
ALTER TABLE "countersign"."plan_events" DROP COLUMN "detail";