CREATE TABLE "countersign"."run_readers" (
	"run_id" text NOT NULL,
	"reader" text NOT NULL,
	"turn" integer NOT NULL,
	"shown_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "run_readers_run_id_reader_pk" PRIMARY KEY("run_id","reader")
);
--> statement-breakpoint
ALTER TABLE "countersign"."plans" ADD COLUMN "attention" boolean GENERATED ALWAYS AS (status in ('proposed', 'needs_review', 'stalled') or revising or pending_patch is not null
        or status = 'executing' and waiting + unknown > 0) STORED,
  ADD COLUMN "ended_as" text GENERATED ALWAYS AS (case when revising or pending_patch is not null then null when status = 'failed' then 'failed'
          when status in ('completed', 'rejected', 'cancelled') then 'done' end) STORED,
  ADD COLUMN "rested_at" timestamp with time zone GENERATED ALWAYS AS (case when status in ('completed', 'failed', 'rejected', 'cancelled') and not revising and pending_patch is null then updated_at end) STORED;--> statement-breakpoint
ALTER TABLE "countersign"."run_readers" ADD CONSTRAINT "run_readers_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "countersign"."runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "plans_attention" ON "countersign"."plans" USING btree ("id") WHERE attention;--> statement-breakpoint
CREATE INDEX "plans_live" ON "countersign"."plans" USING btree ("id") WHERE ended_as is null;--> statement-breakpoint
CREATE INDEX "plans_ended" ON "countersign"."plans" USING btree ("ended_as","rested_at","id") WHERE ended_as is not null;--> statement-breakpoint
CREATE INDEX "plans_tenant_ended" ON "countersign"."plans" USING btree ("tenant","ended_as","rested_at","id") WHERE ended_as is not null;