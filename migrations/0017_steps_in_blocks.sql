CREATE TABLE "countersign"."step_blocks" (
	"plan_id" text NOT NULL,
	"block" integer NOT NULL,
	"pending" integer DEFAULT 0 NOT NULL,
	"ready" integer DEFAULT 0 NOT NULL,
	"running" integer DEFAULT 0 NOT NULL,
	"waiting" integer DEFAULT 0 NOT NULL,
	"succeeded" integer DEFAULT 0 NOT NULL,
	"failed" integer DEFAULT 0 NOT NULL,
	"skipped" integer DEFAULT 0 NOT NULL,
	"cancelled" integer DEFAULT 0 NOT NULL,
	"stale" integer DEFAULT 0 NOT NULL,
	"unknown" integer DEFAULT 0 NOT NULL,
	"has_running" boolean GENERATED ALWAYS AS (running > 0) STORED,
	CONSTRAINT "step_blocks_plan_id_block_pk" PRIMARY KEY("plan_id","block")
) WITH (fillfactor = 50);
--> statement-breakpoint
DROP INDEX "countersign"."step_states_ready";--> statement-breakpoint
DROP INDEX "countersign"."step_states_running";--> statement-breakpoint
DROP INDEX "countersign"."step_states_status";--> statement-breakpoint
-- Half of each page is for what becomes of its rows: a change that no index has to be told of is written beside what it replaces.
ALTER TABLE "countersign"."step_states" SET (fillfactor = 50);--> statement-breakpoint
ALTER TABLE "countersign"."step_states" ADD COLUMN "queued_at" timestamp with time zone GENERATED ALWAYS AS (case when status = 'ready' then available_at end) STORED;--> statement-breakpoint
CREATE INDEX "step_blocks_running" ON "countersign"."step_blocks" USING btree ("plan_id","block") WHERE has_running;--> statement-breakpoint
CREATE INDEX "step_states_queue" ON "countersign"."step_states" USING btree ("plan_id","lane","priority" DESC NULLS FIRST,"dependents" DESC NULLS FIRST,"queued_at","position") WHERE queued_at is not null;--> statement-breakpoint
INSERT INTO "countersign"."step_blocks" ("plan_id", "block", "pending", "ready", "running", "waiting", "succeeded", "failed", "skipped", "cancelled", "stale", "unknown")
SELECT plan_id, position >> 7,
       coalesce(sum(n) FILTER (WHERE status = 'pending'), 0) AS "pending",
       coalesce(sum(n) FILTER (WHERE status = 'ready'), 0) AS "ready",
       coalesce(sum(n) FILTER (WHERE status = 'running'), 0) AS "running",
       coalesce(sum(n) FILTER (WHERE status = 'waiting'), 0) AS "waiting",
       coalesce(sum(n) FILTER (WHERE status = 'succeeded'), 0) AS "succeeded",
       coalesce(sum(n) FILTER (WHERE status = 'failed'), 0) AS "failed",
       coalesce(sum(n) FILTER (WHERE status = 'skipped'), 0) AS "skipped",
       coalesce(sum(n) FILTER (WHERE status = 'cancelled'), 0) AS "cancelled",
       coalesce(sum(n) FILTER (WHERE status = 'stale'), 0) AS "stale",
       coalesce(sum(n) FILTER (WHERE status = 'unknown'), 0) AS "unknown"
FROM (SELECT plan_id, position, status, 1 AS n FROM "countersign"."step_states") s
GROUP BY plan_id, position >> 7;--> statement-breakpoint
CREATE FUNCTION "countersign"."count_added_steps"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO "countersign"."step_blocks" AS b ("plan_id", "block", "pending", "ready", "running", "waiting", "succeeded", "failed", "skipped", "cancelled", "stale", "unknown")
  SELECT plan_id, position >> 7,
         coalesce(sum(n) FILTER (WHERE status = 'pending'), 0) AS "pending",
         coalesce(sum(n) FILTER (WHERE status = 'ready'), 0) AS "ready",
         coalesce(sum(n) FILTER (WHERE status = 'running'), 0) AS "running",
         coalesce(sum(n) FILTER (WHERE status = 'waiting'), 0) AS "waiting",
         coalesce(sum(n) FILTER (WHERE status = 'succeeded'), 0) AS "succeeded",
         coalesce(sum(n) FILTER (WHERE status = 'failed'), 0) AS "failed",
         coalesce(sum(n) FILTER (WHERE status = 'skipped'), 0) AS "skipped",
         coalesce(sum(n) FILTER (WHERE status = 'cancelled'), 0) AS "cancelled",
         coalesce(sum(n) FILTER (WHERE status = 'stale'), 0) AS "stale",
         coalesce(sum(n) FILTER (WHERE status = 'unknown'), 0) AS "unknown"
  FROM (SELECT plan_id, position, status, 1 AS n FROM added) s
  GROUP BY plan_id, position >> 7
  ON CONFLICT (plan_id, block) DO UPDATE SET "pending" = b."pending" + excluded."pending", "ready" = b."ready" + excluded."ready", "running" = b."running" + excluded."running", "waiting" = b."waiting" + excluded."waiting", "succeeded" = b."succeeded" + excluded."succeeded", "failed" = b."failed" + excluded."failed", "skipped" = b."skipped" + excluded."skipped", "cancelled" = b."cancelled" + excluded."cancelled", "stale" = b."stale" + excluded."stale", "unknown" = b."unknown" + excluded."unknown";
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "count_added_steps" AFTER INSERT ON "countersign"."step_states"
  REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION "countersign"."count_added_steps"();--> statement-breakpoint
-- Statements that count what they change themselves say so for their transaction, and before they end, when these two run.
-- For all others, among them those of a program that does not know of blocks, these count. Old and new rows are not joined: the
-- plan of a session's first statement is kept, and for one row it may be one that takes the square of the time for many.
CREATE FUNCTION "countersign"."count_changed_steps"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('countersign.counted', true) = 'on' THEN RETURN NULL; END IF;
  UPDATE "countersign"."step_blocks" b SET "pending" = b."pending" + d."pending", "ready" = b."ready" + d."ready", "running" = b."running" + d."running", "waiting" = b."waiting" + d."waiting", "succeeded" = b."succeeded" + d."succeeded", "failed" = b."failed" + d."failed", "skipped" = b."skipped" + d."skipped", "cancelled" = b."cancelled" + d."cancelled", "stale" = b."stale" + d."stale", "unknown" = b."unknown" + d."unknown"
  FROM (
    SELECT plan_id, position >> 7 AS block,
           coalesce(sum(n) FILTER (WHERE status = 'pending'), 0) AS "pending",
           coalesce(sum(n) FILTER (WHERE status = 'ready'), 0) AS "ready",
           coalesce(sum(n) FILTER (WHERE status = 'running'), 0) AS "running",
           coalesce(sum(n) FILTER (WHERE status = 'waiting'), 0) AS "waiting",
           coalesce(sum(n) FILTER (WHERE status = 'succeeded'), 0) AS "succeeded",
           coalesce(sum(n) FILTER (WHERE status = 'failed'), 0) AS "failed",
           coalesce(sum(n) FILTER (WHERE status = 'skipped'), 0) AS "skipped",
           coalesce(sum(n) FILTER (WHERE status = 'cancelled'), 0) AS "cancelled",
           coalesce(sum(n) FILTER (WHERE status = 'stale'), 0) AS "stale",
           coalesce(sum(n) FILTER (WHERE status = 'unknown'), 0) AS "unknown"
    FROM (
      SELECT plan_id, position, status, 1 AS n FROM changed
      UNION ALL
      SELECT plan_id, position, status, -1 FROM before
    ) s
    GROUP BY plan_id, position >> 7
  ) d
  WHERE b.plan_id = d.plan_id AND b.block = d.block
    AND (d."pending", d."ready", d."running", d."waiting", d."succeeded", d."failed", d."skipped", d."cancelled", d."stale", d."unknown") <> (0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "count_changed_steps" AFTER UPDATE ON "countersign"."step_states"
  REFERENCING OLD TABLE AS before NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION "countersign"."count_changed_steps"();--> statement-breakpoint
CREATE FUNCTION "countersign"."count_removed_steps"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('countersign.counted', true) = 'on' THEN RETURN NULL; END IF;
  UPDATE "countersign"."step_blocks" b SET "pending" = b."pending" - d."pending", "ready" = b."ready" - d."ready", "running" = b."running" - d."running", "waiting" = b."waiting" - d."waiting", "succeeded" = b."succeeded" - d."succeeded", "failed" = b."failed" - d."failed", "skipped" = b."skipped" - d."skipped", "cancelled" = b."cancelled" - d."cancelled", "stale" = b."stale" - d."stale", "unknown" = b."unknown" - d."unknown"
  FROM (
    SELECT plan_id, position >> 7 AS block,
           coalesce(sum(n) FILTER (WHERE status = 'pending'), 0) AS "pending",
           coalesce(sum(n) FILTER (WHERE status = 'ready'), 0) AS "ready",
           coalesce(sum(n) FILTER (WHERE status = 'running'), 0) AS "running",
           coalesce(sum(n) FILTER (WHERE status = 'waiting'), 0) AS "waiting",
           coalesce(sum(n) FILTER (WHERE status = 'succeeded'), 0) AS "succeeded",
           coalesce(sum(n) FILTER (WHERE status = 'failed'), 0) AS "failed",
           coalesce(sum(n) FILTER (WHERE status = 'skipped'), 0) AS "skipped",
           coalesce(sum(n) FILTER (WHERE status = 'cancelled'), 0) AS "cancelled",
           coalesce(sum(n) FILTER (WHERE status = 'stale'), 0) AS "stale",
           coalesce(sum(n) FILTER (WHERE status = 'unknown'), 0) AS "unknown"
    FROM (SELECT plan_id, position, status, 1 AS n FROM removed) s
    GROUP BY plan_id, position >> 7
  ) d
  WHERE b.plan_id = d.plan_id AND b.block = d.block;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "count_removed_steps" AFTER DELETE ON "countersign"."step_states"
  REFERENCING OLD TABLE AS removed
  FOR EACH STATEMENT EXECUTE FUNCTION "countersign"."count_removed_steps"();--> statement-breakpoint
CREATE OR REPLACE FUNCTION "countersign"."forget_plan"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM "countersign"."plan_steps" WHERE plan_id = OLD.id;
  PERFORM set_config('countersign.counted', 'on', true);
  DELETE FROM "countersign"."step_states" WHERE plan_id = OLD.id;
  DELETE FROM "countersign"."step_blocks" WHERE plan_id = OLD.id;
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
