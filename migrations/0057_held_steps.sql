-- Locks are taken before any work is done, so that a migration that has to give way loses none.
LOCK TABLE "countersign"."step_states" IN ACCESS EXCLUSIVE MODE;--> statement-breakpoint
ALTER TABLE "countersign"."step_states" ADD COLUMN "held_by" text[];--> statement-breakpoint
ALTER TABLE "countersign"."step_states" ADD COLUMN "was_status" text;--> statement-breakpoint
ALTER TABLE "countersign"."step_states" ADD COLUMN "was_error" jsonb;--> statement-breakpoint
UPDATE "countersign"."step_states" s SET
  held_by = ARRAY(SELECT jsonb_array_elements_text(jsonb_build_array(s.error -> 'finding') || coalesce(s.error -> 'others', '[]'))),
  was_status = s.error #>> '{was,status}', was_error = nullif(s.error #> '{was,error}', 'null')
FROM "countersign"."step_blocks" b
WHERE b.stale + b.running + b.unknown > 0 AND s.plan_id = b.plan_id AND s.position BETWEEN b.block * 128 AND b.block * 128 + 127
  AND s.status IN ('stale', 'running', 'unknown') AND s.error ? 'finding';--> statement-breakpoint
-- `error` shows what holds a step. A program of the version before knows only that: its writes are those that leave the columns as
-- they were. In the next version, drop their branch.
CREATE FUNCTION "countersign"."copy_holds"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  own jsonb := nullif(NEW.error - '{finding,others,was}'::text[], '{}');
  holds jsonb;
BEGIN
  IF (NEW.held_by, NEW.was_status, NEW.was_error) IS NOT DISTINCT FROM (OLD.held_by, OLD.was_status, OLD.was_error)
      AND (OLD.held_by IS NULL OR OLD.status <> 'running' OR NEW.status <> 'unknown' OR NEW.error ? 'finding') THEN
    NEW.held_by := CASE WHEN NEW.error ? 'finding' THEN
      ARRAY(SELECT jsonb_array_elements_text(jsonb_build_array(NEW.error -> 'finding') || coalesce(NEW.error -> 'others', '[]'))) END;
    NEW.was_status := NEW.error #>> '{was,status}';
    NEW.was_error := nullif(NEW.error #> '{was,error}', 'null');
    RETURN NEW;
  END IF;
  IF NEW.held_by IS NULL THEN
    NEW.error := own;
    RETURN NEW;
  END IF;
  holds := jsonb_build_object('finding', NEW.held_by[1])
    || CASE WHEN cardinality(NEW.held_by) > 1 THEN jsonb_build_object('others', to_jsonb(NEW.held_by[2:])) ELSE '{}' END;
  NEW.error := CASE NEW.status WHEN 'unknown' THEN coalesce(own, '{}') || holds
    ELSE holds || jsonb_build_object('code', 'stale',
      'message', (SELECT left(f.message, 200) FROM "countersign"."plan_findings" f WHERE f.id = NEW.held_by[1]))
      || CASE NEW.status WHEN 'stale' THEN jsonb_build_object('was',
        jsonb_build_object('status', NEW.was_status, 'error', NEW.was_error)) ELSE '{}' END
  END;
  RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "copy_holds" BEFORE UPDATE OF error, held_by ON "countersign"."step_states" FOR EACH ROW
  WHEN (OLD.held_by IS NOT NULL OR NEW.held_by IS NOT NULL OR NEW.error ? 'finding')
  EXECUTE FUNCTION "countersign"."copy_holds"();
