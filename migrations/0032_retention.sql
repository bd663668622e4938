CREATE TABLE "countersign"."deleted_plans" (
	"id" text PRIMARY KEY NOT NULL,
	"ended_at" timestamp with time zone NOT NULL,
	"deleted_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"archive" text,
	"emptied" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "countersign"."retention" (
	"name" text PRIMARY KEY NOT NULL,
	"holder" text,
	"lease_until" timestamp with time zone,
	"began_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	"deleted" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"problem" text
);
--> statement-breakpoint
ALTER TABLE "countersign"."node_steps" DROP CONSTRAINT "node_steps_node";
--> statement-breakpoint
ALTER TABLE "countersign"."plan_version_steps" DROP CONSTRAINT "plan_version_steps_plan_id_version_plan_versions_plan_id_version_fk";
--> statement-breakpoint
ALTER TABLE "countersign"."artifacts" DROP CONSTRAINT "artifacts_plan_id_plans_id_fk";
--> statement-breakpoint
CREATE INDEX "deleted_plans_rest" ON "countersign"."deleted_plans" USING btree ("id") WHERE not emptied;
--> statement-breakpoint
-- Retention deletes the rows of the large tables in parts, after the plan's own row; else they go with it.
CREATE OR REPLACE FUNCTION "countersign"."forget_plan"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('countersign.in_parts', true) = 'on' THEN RETURN OLD; END IF;
  DELETE FROM "countersign"."node_steps" WHERE plan_id = OLD.id;
  DELETE FROM "countersign"."plan_steps" WHERE plan_id = OLD.id;
  PERFORM set_config('countersign.counted', 'on', true);
  DELETE FROM "countersign"."step_states" WHERE plan_id = OLD.id;
  DELETE FROM "countersign"."step_blocks" WHERE plan_id = OLD.id;
  DELETE FROM "countersign"."step_attempts" WHERE plan_id = OLD.id;
  DELETE FROM "countersign"."plan_edges" WHERE plan_id = OLD.id;
  DELETE FROM "countersign"."plan_events" WHERE plan_id = OLD.id;
  DELETE FROM "countersign"."plan_version_steps" WHERE plan_id = OLD.id;
  DELETE FROM "countersign"."artifacts" WHERE plan_id = OLD.id;
  UPDATE "countersign"."resource_pools" p SET in_use = p.in_use - r.amount
    FROM (SELECT pool, sum(amount) AS amount FROM "countersign"."reservations" WHERE plan_id = OLD.id GROUP BY pool) r
    WHERE p.name = r.pool;
  DELETE FROM "countersign"."reservations" WHERE plan_id = OLD.id;
  DELETE FROM "countersign"."resource_waits" WHERE plan_id = OLD.id;
  RETURN OLD;
END $$;
