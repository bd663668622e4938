-- Locks are taken before any work is done, so that a migration that has to give way loses none.
LOCK TABLE "countersign"."plan_version_steps", "countersign"."step_states" IN SHARE ROW EXCLUSIVE MODE;--> statement-breakpoint
LOCK TABLE "countersign"."plan_steps" IN ACCESS EXCLUSIVE MODE;--> statement-breakpoint
CREATE TABLE "countersign"."past_steps" (
	"plan_id" text NOT NULL,
	"position" integer NOT NULL,
	"step_id" text NOT NULL,
	"label" text,
	"description" text NOT NULL,
	"tool" text NOT NULL,
	"operation" text NOT NULL,
	"target" text,
	"args" jsonb NOT NULL,
	"priority" integer DEFAULT 0 NOT NULL,
	"partition" text,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"resources" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"capabilities" text[] DEFAULT '{}' NOT NULL,
	"notes" jsonb,
	"duration_minutes" double precision,
	"not_before" timestamp with time zone,
	"when" jsonb,
	"ask_before" boolean DEFAULT false NOT NULL,
	"seen" jsonb,
	"since" integer NOT NULL,
	"until" integer NOT NULL,
	"after" jsonb NOT NULL,
	CONSTRAINT "past_steps_plan_id_position_since_pk" PRIMARY KEY("plan_id","position","since")
);
--> statement-breakpoint
ALTER TABLE "countersign"."plan_steps" ADD COLUMN "since" integer DEFAULT coalesce(nullif(current_setting('countersign.since', true), ''), '1')::int NOT NULL;--> statement-breakpoint
ALTER TABLE "countersign"."plan_steps" ADD COLUMN "until" integer;--> statement-breakpoint
CREATE INDEX "past_steps_until" ON "countersign"."past_steps" USING btree ("plan_id","until");--> statement-breakpoint
CREATE INDEX "plan_steps_since" ON "countersign"."plan_steps" USING btree ("plan_id","since") WHERE since > 1;--> statement-breakpoint
-- Versions that patches made go together with the one that was proposed: from `begins` on, positions mean the same steps.
-- A patch that only reran steps made none, unless a person approved it.
CREATE TEMPORARY TABLE "step_versions" ON COMMIT DROP AS
SELECT v.plan_id, v.version, coalesce(max(v.version) FILTER (WHERE NOT EXISTS (
    SELECT FROM "countersign"."plan_patches" p
    WHERE p.plan_id = v.plan_id AND p.status = 'applied' AND p.version = v.version
      AND (p.added + p.changed + p.removed > 0 OR p.decided_by IS NOT NULL)))
  OVER (PARTITION BY v.plan_id ORDER BY v.version), 1) AS begins
FROM "countersign"."plan_versions" v;--> statement-breakpoint
-- An archive holds what its version says and the next one says otherwise; it is valid since the archive of the step before it.
CREATE TEMPORARY TABLE "step_archives" ON COMMIT DROP AS
SELECT a.plan_id, a.position, a.version, v.begins,
  coalesce(lag(a.version) OVER archives + 1, v.begins) AS since, lead(a.version) OVER archives IS NULL AS latest
FROM "countersign"."plan_version_steps" a JOIN "step_versions" v USING (plan_id, version)
WINDOW archives AS (PARTITION BY a.plan_id, v.begins, a.position ORDER BY a.version);--> statement-breakpoint
-- A step that was removed from a running plan is in lane 0.
UPDATE "countersign"."plan_steps" c SET since = n.since, until = CASE WHEN n.removed THEN n.since END FROM (
  SELECT s.plan_id, s.position, coalesce(a.version + 1, v.begins) AS since, r.position IS NOT NULL AS removed
  FROM "countersign"."plan_steps" s
  JOIN "countersign"."plans" p ON p.id = s.plan_id
  JOIN "step_versions" v ON v.plan_id = p.id AND v.version = p.version
  LEFT JOIN "step_archives" a ON a.plan_id = s.plan_id AND a.position = s.position AND a.begins = v.begins AND a.latest
  LEFT JOIN "countersign"."step_states" r
    ON r.plan_id = s.plan_id AND r.position = s.position AND r.status = 'cancelled' AND r.lane = 0
) n WHERE c.plan_id = n.plan_id AND c.position = n.position AND (n.since <> 1 OR n.removed);--> statement-breakpoint
CREATE FUNCTION "countersign"."read_archive"(content jsonb, more jsonb) RETURNS "countersign"."past_steps" LANGUAGE sql STABLE AS $$
  SELECT jsonb_populate_record(null::"countersign"."past_steps",
    '{"priority": 0, "tags": [], "resources": {}, "capabilities": [], "ask_before": false}' || content || more)
$$;--> statement-breakpoint
INSERT INTO "countersign"."past_steps"
SELECT r.* FROM "countersign"."plan_version_steps" a
JOIN "step_archives" s USING (plan_id, version, position)
JOIN "countersign"."plans" p ON p.id = a.plan_id
JOIN "step_versions" v ON v.plan_id = p.id AND v.version = p.version
LEFT JOIN "countersign"."plan_steps" c ON c.plan_id = a.plan_id AND c.position = a.position AND v.begins = s.begins
CROSS JOIN LATERAL "countersign"."read_archive"(a.content, jsonb_build_object('plan_id', a.plan_id, 'position', a.position,
  'step_id', a.step_id, 'label', CASE WHEN c.position IS NULL THEN a.step_id ELSE c.label END,
  'since', s.since, 'until', a.version + 1)) r
WHERE a.content <> 'null';--> statement-breakpoint
-- From here on it is for programs of the version before, which archive steps and then change, replace or add some.
CREATE FUNCTION "countersign"."keep_archived"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('countersign.since', (SELECT max(version) + 1 FROM archived)::text, true);
  INSERT INTO "countersign"."past_steps"
  SELECT r.* FROM archived a
  JOIN "countersign"."plan_steps" c ON c.plan_id = a.plan_id AND c.position = a.position AND c.until IS NULL
  CROSS JOIN LATERAL "countersign"."read_archive"(a.content, jsonb_build_object('plan_id', a.plan_id, 'position', a.position,
    'step_id', a.step_id, 'label', c.label, 'since', c.since, 'until', a.version + 1)) r
  WHERE a.content <> 'null' AND c.since <= a.version ON CONFLICT DO NOTHING;
  UPDATE "countersign"."plan_steps" c SET since = a.version + 1 FROM archived a
  WHERE c.plan_id = a.plan_id AND c.position = a.position AND c.until IS NULL;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "keep_archived" AFTER INSERT ON "countersign"."plan_version_steps"
  REFERENCING NEW TABLE AS archived FOR EACH STATEMENT EXECUTE FUNCTION "countersign"."keep_archived"();--> statement-breakpoint
CREATE FUNCTION "countersign"."end_removed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE "countersign"."plan_steps" SET until = since WHERE plan_id = NEW.plan_id AND position = NEW.position AND until IS NULL;
  RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "end_removed" AFTER UPDATE OF lane ON "countersign"."step_states" FOR EACH ROW
  WHEN (NEW.lane = 0 AND OLD.lane <> 0) EXECUTE FUNCTION "countersign"."end_removed"();--> statement-breakpoint
CREATE OR REPLACE FUNCTION "countersign"."forget_plan"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('countersign.in_parts', true) = 'past_steps' THEN RETURN OLD; END IF;
  -- A program of the version before deletes the other tables in parts, and does not know of this one.
  DELETE FROM "countersign"."past_steps" WHERE plan_id = OLD.id;
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
