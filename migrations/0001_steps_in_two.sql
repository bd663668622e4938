CREATE TABLE "countersign"."backends" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"capabilities" text[] NOT NULL,
	"operations" text[] NOT NULL,
	"concurrency" integer NOT NULL,
	"manifest" jsonb NOT NULL,
	"seen_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "countersign"."plan_lanes" (
	"plan_id" text NOT NULL,
	"lane" integer NOT NULL,
	"tool" text NOT NULL,
	"operation" text NOT NULL,
	"capabilities" text[] NOT NULL,
	"pools" text[] NOT NULL,
	CONSTRAINT "plan_lanes_plan_id_lane_pk" PRIMARY KEY("plan_id","lane")
);
--> statement-breakpoint
CREATE TABLE "countersign"."plan_patches" (
	"id" text PRIMARY KEY NOT NULL,
	"plan_id" text NOT NULL,
	"base_revision" bigint NOT NULL,
	"status" text NOT NULL,
	"version" integer NOT NULL,
	"digest" text NOT NULL,
	"operations" jsonb NOT NULL,
	"widening" text[] NOT NULL,
	"added" integer NOT NULL,
	"changed" integer NOT NULL,
	"removed" integer NOT NULL,
	"reason" text,
	"proposed_by" text NOT NULL,
	"decided_by" text,
	"decided_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "countersign"."reservations" (
	"plan_id" text NOT NULL,
	"position" integer NOT NULL,
	"pool" text NOT NULL,
	"amount" numeric NOT NULL,
	"since" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "reservations_plan_id_position_pool_pk" PRIMARY KEY("plan_id","position","pool")
);
--> statement-breakpoint
CREATE TABLE "countersign"."resource_pools" (
	"name" text PRIMARY KEY NOT NULL,
	"capacity" numeric NOT NULL,
	"headroom" numeric DEFAULT '0' NOT NULL,
	"in_use" numeric DEFAULT '0' NOT NULL,
	CONSTRAINT "resource_pools_in_use" CHECK ("countersign"."resource_pools"."in_use" >= 0)
);
--> statement-breakpoint
CREATE TABLE "countersign"."resource_waits" (
	"pool" text NOT NULL,
	"plan_id" text NOT NULL,
	"position" integer NOT NULL,
	"amount" numeric NOT NULL,
	"since" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"touched_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "resource_waits_pool_plan_id_position_pk" PRIMARY KEY("pool","plan_id","position")
);
--> statement-breakpoint
CREATE TABLE "countersign"."spending" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"plan_id" text,
	"run_id" text,
	"usd" double precision NOT NULL
);
--> statement-breakpoint
CREATE TABLE "countersign"."step_states" (
	"plan_id" text NOT NULL,
	"position" integer NOT NULL,
	"step_id" text NOT NULL,
	"partition" text,
	"lane" integer NOT NULL,
	"priority" integer NOT NULL,
	"dependents" integer NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"unmet" integer NOT NULL,
	"available_at" timestamp with time zone,
	"attempt" integer DEFAULT 0 NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"lease_owner" text,
	"lease_until" timestamp with time zone,
	"started_at" timestamp with time zone,
	"called_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	"question" text,
	"final_args" jsonb,
	"result_summary" text,
	"output" jsonb,
	"error" jsonb,
	CONSTRAINT "step_states_plan_id_position_pk" PRIMARY KEY("plan_id","position")
);
--> statement-breakpoint
ALTER TABLE "countersign"."plan_edges" DROP CONSTRAINT "plan_edges_plan_id_successor_plan_steps_plan_id_position_fk";
--> statement-breakpoint
ALTER TABLE "countersign"."plan_events" DROP CONSTRAINT "plan_events_plan_id_plans_id_fk";
--> statement-breakpoint
ALTER TABLE "countersign"."step_attempts" DROP CONSTRAINT "step_attempts_plan_id_position_plan_steps_plan_id_position_fk";
--> statement-breakpoint
DROP INDEX "countersign"."plan_steps_ready";--> statement-breakpoint
DROP INDEX "countersign"."plan_steps_leases";--> statement-breakpoint
DROP INDEX "countersign"."plan_steps_status";--> statement-breakpoint
ALTER TABLE "countersign"."plan_steps" ADD COLUMN "seal" text;--> statement-breakpoint
ALTER TABLE "countersign"."plan_versions" ADD COLUMN "cost_usd" double precision DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "countersign"."plans" ADD COLUMN "approved_digest" text;--> statement-breakpoint
ALTER TABLE "countersign"."plans" ADD COLUMN "pools" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "countersign"."plans" ADD COLUMN "pending_patch" text;--> statement-breakpoint
ALTER TABLE "countersign"."plan_lanes" ADD CONSTRAINT "plan_lanes_plan_id_plans_id_fk" FOREIGN KEY ("plan_id") REFERENCES "countersign"."plans"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "countersign"."plan_patches" ADD CONSTRAINT "plan_patches_plan_id_plans_id_fk" FOREIGN KEY ("plan_id") REFERENCES "countersign"."plans"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "backends_seen" ON "countersign"."backends" USING btree ("seen_at");--> statement-breakpoint
CREATE INDEX "plan_patches_plan" ON "countersign"."plan_patches" USING btree ("plan_id","created_at");--> statement-breakpoint
CREATE INDEX "spending_at" ON "countersign"."spending" USING btree ("at");--> statement-breakpoint
CREATE INDEX "step_states_ready" ON "countersign"."step_states" USING btree ("plan_id","lane","priority" DESC NULLS FIRST,"dependents" DESC NULLS FIRST,"available_at","position") WHERE status = 'ready';--> statement-breakpoint
CREATE INDEX "step_states_running" ON "countersign"."step_states" USING btree ("plan_id","position") WHERE status = 'running';--> statement-breakpoint
CREATE INDEX "step_states_status" ON "countersign"."step_states" USING btree ("plan_id","status","position") WHERE status <> 'running';--> statement-breakpoint
-- What execution had changed of each step moves to its own table; kinds of steps are numbered in the order of their first.
INSERT INTO "countersign"."plan_lanes" (plan_id, lane, tool, operation, capabilities, pools)
SELECT plan_id, row_number() OVER (PARTITION BY plan_id ORDER BY min(position)), tool, operation, capabilities, pools
FROM (
  SELECT plan_id, position, tool, operation, capabilities,
    array(SELECT jsonb_object_keys(resources) ORDER BY 1) AS pools FROM "countersign"."plan_steps"
) s GROUP BY plan_id, tool, operation, capabilities, pools;--> statement-breakpoint
INSERT INTO "countersign"."step_states" (plan_id, position, step_id, partition, lane, priority, dependents, status, unmet,
  available_at, attempt, tries, lease_owner, lease_until, started_at, called_at, ended_at, question, final_args,
  result_summary, output, error)
SELECT s.plan_id, s.position, s.step_id, s.partition, l.lane, s.priority, s.dependents, s.status, s.unmet,
  CASE WHEN s.status = 'ready' THEN coalesce(s.available_at, s.not_before, now()) ELSE coalesce(s.available_at, s.not_before) END,
  s.attempt, s.attempt, s.lease_owner, s.lease_until, s.started_at, a.called_at, s.ended_at, s.question, s.final_args,
  s.result_summary, s.output, s.error
FROM "countersign"."plan_steps" s
JOIN "countersign"."plan_lanes" l ON l.plan_id = s.plan_id AND l.tool = s.tool AND l.operation = s.operation
  AND l.capabilities = s.capabilities AND l.pools = array(SELECT jsonb_object_keys(s.resources) ORDER BY 1)
LEFT JOIN "countersign"."step_attempts" a ON a.plan_id = s.plan_id AND a.position = s.position AND a.attempt = s.attempt
  AND a.status = 'calling';--> statement-breakpoint
DELETE FROM "countersign"."step_attempts" WHERE status IN ('started', 'calling');--> statement-breakpoint
UPDATE "countersign"."plans" SET approved_digest = digest WHERE status IN ('approved', 'executing', 'completed', 'failed', 'stalled');--> statement-breakpoint
-- Tables that grow with every attempt have no foreign keys; their rows go with their plan all the same.
CREATE FUNCTION "countersign"."forget_plan"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
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
END $$;--> statement-breakpoint
CREATE TRIGGER "forget_plan" AFTER DELETE ON "countersign"."plans" FOR EACH ROW EXECUTE FUNCTION "countersign"."forget_plan"();--> statement-breakpoint
ALTER TABLE "countersign"."plan_steps" DROP COLUMN "status";--> statement-breakpoint
ALTER TABLE "countersign"."plan_steps" DROP COLUMN "unmet";--> statement-breakpoint
ALTER TABLE "countersign"."plan_steps" DROP COLUMN "dependents";--> statement-breakpoint
ALTER TABLE "countersign"."plan_steps" DROP COLUMN "available_at";--> statement-breakpoint
ALTER TABLE "countersign"."plan_steps" DROP COLUMN "attempt";--> statement-breakpoint
ALTER TABLE "countersign"."plan_steps" DROP COLUMN "lease_owner";--> statement-breakpoint
ALTER TABLE "countersign"."plan_steps" DROP COLUMN "lease_until";--> statement-breakpoint
ALTER TABLE "countersign"."plan_steps" DROP COLUMN "started_at";--> statement-breakpoint
ALTER TABLE "countersign"."plan_steps" DROP COLUMN "ended_at";--> statement-breakpoint
ALTER TABLE "countersign"."plan_steps" DROP COLUMN "question";--> statement-breakpoint
ALTER TABLE "countersign"."plan_steps" DROP COLUMN "final_args";--> statement-breakpoint
ALTER TABLE "countersign"."plan_steps" DROP COLUMN "result_summary";--> statement-breakpoint
ALTER TABLE "countersign"."plan_steps" DROP COLUMN "output";--> statement-breakpoint
ALTER TABLE "countersign"."plan_steps" DROP COLUMN "error";