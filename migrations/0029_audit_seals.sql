CREATE TABLE "countersign"."audit_seals" (
	"seq" bigint PRIMARY KEY NOT NULL,
	"first_id" bigint NOT NULL,
	"last_id" bigint NOT NULL,
	"count" integer NOT NULL,
	"root" text NOT NULL,
	"previous" text NOT NULL,
	"key_id" text,
	"hash" text NOT NULL,
	"newest_at" timestamp with time zone NOT NULL,
	"sealed_at" timestamp with time zone NOT NULL,
	"marks" "bytea" NOT NULL,
	"pruned" text
);

--> statement-breakpoint
CREATE FUNCTION "countersign"."keep_audit"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('countersign.retention', true) = 'on' THEN
    RETURN NULL;
  END IF;
  RAISE EXCEPTION 'countersign.% is append-only: % is refused', TG_TABLE_NAME, TG_OP
    USING HINT = 'Old rows are removed by retention (docs/records.md).';
END $$;
--> statement-breakpoint
CREATE TRIGGER "keep_audit" BEFORE UPDATE OR DELETE OR TRUNCATE ON "countersign"."audit"
  FOR EACH STATEMENT EXECUTE FUNCTION "countersign"."keep_audit"();
--> statement-breakpoint
CREATE TRIGGER "keep_audit_seals" BEFORE UPDATE OR DELETE OR TRUNCATE ON "countersign"."audit_seals"
  FOR EACH STATEMENT EXECUTE FUNCTION "countersign"."keep_audit"();
