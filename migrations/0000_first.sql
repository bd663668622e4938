CREATE SCHEMA "countersign";
--> statement-breakpoint
CREATE TABLE "countersign"."approvals" (
	"plan_id" text NOT NULL,
	"version" integer NOT NULL,
	"approver" text NOT NULL,
	"digest" text NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "approvals_plan_id_version_approver_pk" PRIMARY KEY("plan_id","version","approver")
);
--> statement-breakpoint
CREATE TABLE "countersign"."artifacts" (
	"id" text PRIMARY KEY NOT NULL,
	"plan_id" text,
	"step_id" text,
	"name" text NOT NULL,
	"media_type" text NOT NULL,
	"size" integer NOT NULL,
	"sha256" text NOT NULL,
	"content" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "countersign"."audit" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"plan_id" text,
	"actor" text NOT NULL,
	"actor_kind" text NOT NULL,
	"via" text NOT NULL,
	"action" text NOT NULL,
	"version" integer,
	"digest" text,
	"reason" text,
	"data" jsonb
);
--> statement-breakpoint
CREATE TABLE "countersign"."messages" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"conversation" text NOT NULL,
	"run_id" text,
	"author" text NOT NULL,
	"name" text NOT NULL,
	"text" text NOT NULL,
	"plan_id" text,
	"once" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "countersign"."plan_edges" (
	"plan_id" text NOT NULL,
	"predecessor" integer NOT NULL,
	"successor" integer NOT NULL,
	"type" text DEFAULT 'FS' NOT NULL,
	"lag_minutes" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "plan_edges_plan_id_predecessor_successor_type_pk" PRIMARY KEY("plan_id","predecessor","successor","type")
);
--> statement-breakpoint
CREATE TABLE "countersign"."plan_events" (
	"plan_id" text NOT NULL,
	"revision" bigint NOT NULL,
	"kind" text NOT NULL,
	"step_id" text,
	"status" text,
	"detail" text,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "plan_events_plan_id_revision_pk" PRIMARY KEY("plan_id","revision")
);
--> statement-breakpoint
CREATE TABLE "countersign"."plan_partitions" (
	"plan_id" text NOT NULL,
	"name" text NOT NULL,
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
	CONSTRAINT "plan_partitions_plan_id_name_pk" PRIMARY KEY("plan_id","name")
);
--> statement-breakpoint
CREATE TABLE "countersign"."plan_steps" (
	"plan_id" text NOT NULL,
	"position" integer NOT NULL,
	"step_id" text NOT NULL,
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
	"effect" text NOT NULL,
	"guarded" boolean DEFAULT false NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"unmet" integer NOT NULL,
	"dependents" integer NOT NULL,
	"available_at" timestamp with time zone,
	"attempt" integer DEFAULT 0 NOT NULL,
	"lease_owner" text,
	"lease_until" timestamp with time zone,
	"started_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	"question" text,
	"final_args" jsonb,
	"result_summary" text,
	"output" jsonb,
	"error" jsonb,
	CONSTRAINT "plan_steps_plan_id_position_pk" PRIMARY KEY("plan_id","position")
);
--> statement-breakpoint
CREATE TABLE "countersign"."plan_version_steps" (
	"plan_id" text NOT NULL,
	"version" integer NOT NULL,
	"position" integer NOT NULL,
	"step_id" text NOT NULL,
	"content" jsonb NOT NULL,
	CONSTRAINT "plan_version_steps_plan_id_version_position_pk" PRIMARY KEY("plan_id","version","position")
);
--> statement-breakpoint
CREATE TABLE "countersign"."plan_versions" (
	"plan_id" text NOT NULL,
	"version" integer NOT NULL,
	"digest" text NOT NULL,
	"title" text NOT NULL,
	"summary" text,
	"context" jsonb NOT NULL,
	"risks" jsonb NOT NULL,
	"approver_policy" jsonb NOT NULL,
	"tools_required" text[] NOT NULL,
	"total" integer NOT NULL,
	"planner_model" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "plan_versions_plan_id_version_pk" PRIMARY KEY("plan_id","version")
);
--> statement-breakpoint
CREATE TABLE "countersign"."plans" (
	"id" text PRIMARY KEY NOT NULL,
	"status" text NOT NULL,
	"version" integer NOT NULL,
	"digest" text NOT NULL,
	"revision" bigint NOT NULL,
	"total" integer NOT NULL,
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
	"title" text NOT NULL,
	"requester" text NOT NULL,
	"approver_policy" jsonb NOT NULL,
	"conversation" text,
	"run_id" text,
	"planner_model" text NOT NULL,
	"executor_model" text,
	"tools_required" text[] NOT NULL,
	"guarded_operations" text[] NOT NULL,
	"pattern_type" text,
	"pattern_subtype" text,
	"pattern_variant" text,
	"rejection_history" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"decided_by" text,
	"decided_at" timestamp with time zone,
	"paused_at" timestamp with time zone,
	"has_start_edges" boolean DEFAULT false NOT NULL,
	"revising" boolean DEFAULT false NOT NULL,
	"confidence" double precision,
	"cost_usd" double precision DEFAULT 0 NOT NULL,
	"execution_started_at" timestamp with time zone,
	"execution_ended_at" timestamp with time zone,
	"result_summary" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "plans_revision_positive" CHECK ("countersign"."plans"."revision" > 0)
);
--> statement-breakpoint
CREATE TABLE "countersign"."reminders" (
	"id" text PRIMARY KEY NOT NULL,
	"plan_id" text,
	"user" text NOT NULL,
	"conversation" text,
	"text" text NOT NULL,
	"rrule" text,
	"timezone" text NOT NULL,
	"starts_at" timestamp with time zone NOT NULL,
	"next_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "countersign"."runs" (
	"id" text PRIMARY KEY NOT NULL,
	"user" text NOT NULL,
	"via" text NOT NULL,
	"conversation" text NOT NULL,
	"planning_status" text NOT NULL,
	"turn" integer DEFAULT 1 NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"request" text NOT NULL,
	"modes" jsonb NOT NULL,
	"policy" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"plan_id" text,
	"plan_version" integer,
	"plan_digest" text,
	"response_text" text DEFAULT '' NOT NULL,
	"questions" jsonb,
	"escalate_reason" text,
	"decision_reason" text,
	"planner" text,
	"confidence" double precision,
	"cost_usd" double precision DEFAULT 0 NOT NULL,
	"trace" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "countersign"."step_attempts" (
	"plan_id" text NOT NULL,
	"position" integer NOT NULL,
	"attempt" integer NOT NULL,
	"status" text NOT NULL,
	"worker" text NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"called_at" timestamp with time zone,
	"ended_at" timestamp with time zone,
	"result_summary" text,
	"error" jsonb,
	CONSTRAINT "step_attempts_plan_id_position_attempt_pk" PRIMARY KEY("plan_id","position","attempt")
);
--> statement-breakpoint
ALTER TABLE "countersign"."approvals" ADD CONSTRAINT "approvals_plan_id_plans_id_fk" FOREIGN KEY ("plan_id") REFERENCES "countersign"."plans"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "countersign"."artifacts" ADD CONSTRAINT "artifacts_plan_id_plans_id_fk" FOREIGN KEY ("plan_id") REFERENCES "countersign"."plans"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "countersign"."plan_edges" ADD CONSTRAINT "plan_edges_plan_id_successor_plan_steps_plan_id_position_fk" FOREIGN KEY ("plan_id","successor") REFERENCES "countersign"."plan_steps"("plan_id","position") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "countersign"."plan_events" ADD CONSTRAINT "plan_events_plan_id_plans_id_fk" FOREIGN KEY ("plan_id") REFERENCES "countersign"."plans"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "countersign"."plan_partitions" ADD CONSTRAINT "plan_partitions_plan_id_plans_id_fk" FOREIGN KEY ("plan_id") REFERENCES "countersign"."plans"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "countersign"."plan_steps" ADD CONSTRAINT "plan_steps_plan_id_plans_id_fk" FOREIGN KEY ("plan_id") REFERENCES "countersign"."plans"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "countersign"."plan_version_steps" ADD CONSTRAINT "plan_version_steps_plan_id_version_plan_versions_plan_id_version_fk" FOREIGN KEY ("plan_id","version") REFERENCES "countersign"."plan_versions"("plan_id","version") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "countersign"."plan_versions" ADD CONSTRAINT "plan_versions_plan_id_plans_id_fk" FOREIGN KEY ("plan_id") REFERENCES "countersign"."plans"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "countersign"."step_attempts" ADD CONSTRAINT "step_attempts_plan_id_position_plan_steps_plan_id_position_fk" FOREIGN KEY ("plan_id","position") REFERENCES "countersign"."plan_steps"("plan_id","position") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "artifacts_plan" ON "countersign"."artifacts" USING btree ("plan_id");--> statement-breakpoint
CREATE INDEX "audit_plan" ON "countersign"."audit" USING btree ("plan_id","id");--> statement-breakpoint
CREATE INDEX "messages_conversation" ON "countersign"."messages" USING btree ("conversation","id");--> statement-breakpoint
CREATE UNIQUE INDEX "messages_once" ON "countersign"."messages" USING btree ("once");--> statement-breakpoint
CREATE INDEX "plan_edges_successor" ON "countersign"."plan_edges" USING btree ("plan_id","successor");--> statement-breakpoint
CREATE UNIQUE INDEX "plan_steps_step_id" ON "countersign"."plan_steps" USING btree ("plan_id","step_id");--> statement-breakpoint
CREATE INDEX "plan_steps_ready" ON "countersign"."plan_steps" USING btree ("plan_id","priority" DESC NULLS LAST,"dependents" DESC NULLS LAST,"position") WHERE status = 'ready';--> statement-breakpoint
CREATE INDEX "plan_steps_leases" ON "countersign"."plan_steps" USING btree ("lease_until") WHERE status = 'running';--> statement-breakpoint
CREATE INDEX "plan_steps_status" ON "countersign"."plan_steps" USING btree ("plan_id","status","position");--> statement-breakpoint
CREATE INDEX "plan_steps_partition" ON "countersign"."plan_steps" USING btree ("plan_id","partition","position") WHERE partition is not null;--> statement-breakpoint
CREATE INDEX "plan_steps_tags" ON "countersign"."plan_steps" USING gin ("tags") WHERE tags <> '{}';--> statement-breakpoint
CREATE INDEX "plans_status_created" ON "countersign"."plans" USING btree ("status","created_at","id");--> statement-breakpoint
CREATE INDEX "plans_created" ON "countersign"."plans" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "plans_requester_created" ON "countersign"."plans" USING btree ("requester","created_at","id");--> statement-breakpoint
CREATE INDEX "plans_conversation" ON "countersign"."plans" USING btree ("conversation");--> statement-breakpoint
CREATE INDEX "plans_pattern_type" ON "countersign"."plans" USING btree ("pattern_type");--> statement-breakpoint
CREATE INDEX "plans_pattern_subtype" ON "countersign"."plans" USING btree ("pattern_subtype");--> statement-breakpoint
CREATE INDEX "plans_pattern_variant" ON "countersign"."plans" USING btree ("pattern_variant");--> statement-breakpoint
CREATE INDEX "reminders_next" ON "countersign"."reminders" USING btree ("next_at") WHERE next_at is not null;--> statement-breakpoint
CREATE INDEX "runs_conversation" ON "countersign"."runs" USING btree ("conversation","created_at");--> statement-breakpoint
CREATE INDEX "runs_plan" ON "countersign"."runs" USING btree ("plan_id");--> statement-breakpoint
CREATE INDEX "runs_updated" ON "countersign"."runs" USING btree ("updated_at");--> statement-breakpoint
CREATE INDEX "step_attempts_ended" ON "countersign"."step_attempts" USING btree ("plan_id","ended_at","position","attempt");