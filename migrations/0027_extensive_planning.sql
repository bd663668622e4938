CREATE TABLE "countersign"."plan_findings" (
	"id" text PRIMARY KEY NOT NULL,
	"plan_id" text NOT NULL,
	"key" text NOT NULL,
	"severity" text NOT NULL,
	"category" text NOT NULL,
	"message" text NOT NULL,
	"step_id" text,
	"partition" text,
	"evidence" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"actions" text[] DEFAULT '{}' NOT NULL,
	"status" text DEFAULT 'open' NOT NULL,
	"stale_steps" integer DEFAULT 0 NOT NULL,
	"replans" integer DEFAULT 0 NOT NULL,
	"patch_id" text,
	"raised_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"settled_by" text,
	"settled_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "countersign"."plan_requests" (
	"id" text PRIMARY KEY NOT NULL,
	"run_id" text NOT NULL,
	"plan_id" text,
	"key" text NOT NULL,
	"operation" text NOT NULL,
	"args" jsonb NOT NULL,
	"purpose" text NOT NULL,
	"status" text DEFAULT 'open' NOT NULL,
	"artifact_id" text,
	"summary" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"fulfilled_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "countersign"."planning_parts" (
	"run_id" text NOT NULL,
	"turn" integer NOT NULL,
	"part_id" text NOT NULL,
	"position" integer NOT NULL,
	"scaffold" jsonb NOT NULL,
	"status" text DEFAULT 'waiting' NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp with time zone,
	"steps" jsonb,
	"step_count" integer DEFAULT 0 NOT NULL,
	"message" text,
	"cost_usd" double precision DEFAULT 0 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "planning_parts_run_id_turn_part_id_pk" PRIMARY KEY("run_id","turn","part_id")
);
--> statement-breakpoint
ALTER TABLE "countersign"."plan_patches" ADD COLUMN "rerun" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "countersign"."plan_patches" ADD COLUMN "invalidated" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "countersign"."artifacts" ADD COLUMN "run_id" text;--> statement-breakpoint
ALTER TABLE "countersign"."plan_findings" ADD CONSTRAINT "plan_findings_plan_id_plans_id_fk" FOREIGN KEY ("plan_id") REFERENCES "countersign"."plans"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "countersign"."plan_requests" ADD CONSTRAINT "plan_requests_plan_id_plans_id_fk" FOREIGN KEY ("plan_id") REFERENCES "countersign"."plans"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "plan_findings_key" ON "countersign"."plan_findings" USING btree ("plan_id","key");--> statement-breakpoint
CREATE INDEX "plan_findings_newest" ON "countersign"."plan_findings" USING btree ("plan_id","created_at","id");--> statement-breakpoint
CREATE INDEX "plan_findings_open" ON "countersign"."plan_findings" USING btree ("plan_id") WHERE status in ('open', 'replanning', 'awaiting_approval');--> statement-breakpoint
CREATE INDEX "plan_findings_patch" ON "countersign"."plan_findings" USING btree ("patch_id") WHERE patch_id is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "plan_requests_key" ON "countersign"."plan_requests" USING btree ("run_id","key");--> statement-breakpoint
CREATE INDEX "plan_requests_plan" ON "countersign"."plan_requests" USING btree ("plan_id");--> statement-breakpoint
CREATE INDEX "artifacts_run" ON "countersign"."artifacts" USING btree ("run_id") WHERE run_id is not null;