CREATE TABLE "countersign"."interaction_policies" (
	"user" text PRIMARY KEY NOT NULL,
	"policy" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"probed_at" timestamp with time zone,
	"updated_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "countersign"."model_calls" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"run_id" text NOT NULL,
	"turn" integer NOT NULL,
	"user" text NOT NULL,
	"model" text NOT NULL,
	"stage" text NOT NULL,
	"estimate_usd" double precision NOT NULL,
	"cost_usd" double precision,
	"input_tokens" integer,
	"output_tokens" integer,
	"began_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "countersign"."node_steps" (
	"plan_id" text NOT NULL,
	"version" integer NOT NULL,
	"node_id" text NOT NULL,
	"step_id" text NOT NULL,
	CONSTRAINT "node_steps_plan_id_version_node_id_step_id_pk" PRIMARY KEY("plan_id","version","node_id","step_id")
);
--> statement-breakpoint
CREATE TABLE "countersign"."outline_nodes" (
	"plan_id" text NOT NULL,
	"version" integer NOT NULL,
	"node_id" text NOT NULL,
	"position" integer NOT NULL,
	"parent_id" text,
	"title" text NOT NULL,
	"structure" text NOT NULL,
	"rhythm" text NOT NULL,
	"level" integer NOT NULL,
	"content" jsonb NOT NULL,
	CONSTRAINT "outline_nodes_plan_id_version_node_id_pk" PRIMARY KEY("plan_id","version","node_id")
);
--> statement-breakpoint
CREATE TABLE "countersign"."plan_series" (
	"plan_id" text NOT NULL,
	"series_id" text NOT NULL,
	"title" text NOT NULL,
	"rrule" text NOT NULL,
	"starts_at" timestamp with time zone NOT NULL,
	"timezone" text NOT NULL,
	"until" timestamp with time zone,
	"steps" jsonb NOT NULL,
	"expanded_to" timestamp with time zone,
	"expand_at" timestamp with time zone,
	"stopped_at" timestamp with time zone,
	CONSTRAINT "plan_series_plan_id_series_id_pk" PRIMARY KEY("plan_id","series_id")
);
--> statement-breakpoint
CREATE TABLE "countersign"."planning_artifacts" (
	"plan_id" text NOT NULL,
	"version" integer NOT NULL,
	"outline" jsonb,
	"roadmap" jsonb,
	"schedule" jsonb,
	"notes" jsonb DEFAULT '[]'::jsonb NOT NULL,
	CONSTRAINT "planning_artifacts_plan_id_version_pk" PRIMARY KEY("plan_id","version")
);
--> statement-breakpoint
CREATE TABLE "countersign"."planning_checkpoints" (
	"thread_id" text NOT NULL,
	"checkpoint_ns" text DEFAULT 'planning_agent' NOT NULL,
	"run_id" text NOT NULL,
	"seq" integer NOT NULL,
	"turn" integer NOT NULL,
	"from_stage" text,
	"event" text,
	"stage" text NOT NULL,
	"state" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "planning_checkpoints_run_id_seq_pk" PRIMARY KEY("run_id","seq")
);
--> statement-breakpoint
CREATE TABLE "countersign"."planning_memo" (
	"key" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"run_id" text NOT NULL,
	"value" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "countersign"."roadmap_edges" (
	"plan_id" text NOT NULL,
	"version" integer NOT NULL,
	"from_node" text NOT NULL,
	"to_node" text NOT NULL,
	"type" text NOT NULL,
	"lag_minutes" integer NOT NULL,
	"why" text NOT NULL,
	CONSTRAINT "roadmap_edges_plan_id_version_from_node_to_node_type_pk" PRIMARY KEY("plan_id","version","from_node","to_node","type")
);
--> statement-breakpoint
CREATE TABLE "countersign"."roadmap_options" (
	"plan_id" text NOT NULL,
	"version" integer NOT NULL,
	"position" integer NOT NULL,
	"name" text NOT NULL,
	"differs" text NOT NULL,
	"metrics" jsonb NOT NULL,
	"score" double precision NOT NULL,
	"chosen" boolean NOT NULL,
	"reason" text,
	CONSTRAINT "roadmap_options_plan_id_version_position_pk" PRIMARY KEY("plan_id","version","position")
);
--> statement-breakpoint
CREATE TABLE "countersign"."schedule_blocks" (
	"plan_id" text NOT NULL,
	"version" integer NOT NULL,
	"node_id" text NOT NULL,
	"starts_at" timestamp with time zone NOT NULL,
	"ends_at" timestamp with time zone NOT NULL,
	"fixed" boolean NOT NULL,
	"holds" boolean NOT NULL,
	"person" text,
	CONSTRAINT "schedule_blocks_plan_id_version_node_id_pk" PRIMARY KEY("plan_id","version","node_id")
);
--> statement-breakpoint
ALTER TABLE "countersign"."plan_versions" ADD COLUMN "confirm_each" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "countersign"."plan_versions" ADD COLUMN "series" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "countersign"."plans" ADD COLUMN "confirm_each" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "countersign"."plans" ADD COLUMN "open_until" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "countersign"."runs" ADD COLUMN "decision" jsonb;--> statement-breakpoint
ALTER TABLE "countersign"."runs" ADD COLUMN "pause" jsonb;--> statement-breakpoint
ALTER TABLE "countersign"."runs" ADD COLUMN "pattern" jsonb;--> statement-breakpoint
ALTER TABLE "countersign"."runs" ADD COLUMN "rfc" jsonb;--> statement-breakpoint
ALTER TABLE "countersign"."node_steps" ADD CONSTRAINT "node_steps_node" FOREIGN KEY ("plan_id","version","node_id") REFERENCES "countersign"."outline_nodes"("plan_id","version","node_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "countersign"."node_steps" ADD CONSTRAINT "node_steps_step" FOREIGN KEY ("plan_id","step_id") REFERENCES "countersign"."plan_steps"("plan_id","step_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "countersign"."outline_nodes" ADD CONSTRAINT "outline_nodes_version" FOREIGN KEY ("plan_id","version") REFERENCES "countersign"."plan_versions"("plan_id","version") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "countersign"."outline_nodes" ADD CONSTRAINT "outline_nodes_parent" FOREIGN KEY ("plan_id","version","parent_id") REFERENCES "countersign"."outline_nodes"("plan_id","version","node_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "countersign"."plan_series" ADD CONSTRAINT "plan_series_plan_id_plans_id_fk" FOREIGN KEY ("plan_id") REFERENCES "countersign"."plans"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "countersign"."planning_artifacts" ADD CONSTRAINT "planning_artifacts_version" FOREIGN KEY ("plan_id","version") REFERENCES "countersign"."plan_versions"("plan_id","version") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "countersign"."roadmap_edges" ADD CONSTRAINT "roadmap_edges_from_node" FOREIGN KEY ("plan_id","version","from_node") REFERENCES "countersign"."outline_nodes"("plan_id","version","node_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "countersign"."roadmap_edges" ADD CONSTRAINT "roadmap_edges_to_node" FOREIGN KEY ("plan_id","version","to_node") REFERENCES "countersign"."outline_nodes"("plan_id","version","node_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "countersign"."roadmap_options" ADD CONSTRAINT "roadmap_options_version" FOREIGN KEY ("plan_id","version") REFERENCES "countersign"."plan_versions"("plan_id","version") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "countersign"."schedule_blocks" ADD CONSTRAINT "schedule_blocks_node" FOREIGN KEY ("plan_id","version","node_id") REFERENCES "countersign"."outline_nodes"("plan_id","version","node_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "model_calls_began" ON "countersign"."model_calls" USING btree ("began_at");--> statement-breakpoint
CREATE INDEX "model_calls_run" ON "countersign"."model_calls" USING btree ("run_id","turn");--> statement-breakpoint
CREATE INDEX "model_calls_user" ON "countersign"."model_calls" USING btree ("user","began_at");--> statement-breakpoint
CREATE INDEX "node_steps_step" ON "countersign"."node_steps" USING btree ("plan_id","step_id");--> statement-breakpoint
CREATE UNIQUE INDEX "outline_nodes_position" ON "countersign"."outline_nodes" USING btree ("plan_id","version","position");--> statement-breakpoint
CREATE INDEX "plan_series_expand" ON "countersign"."plan_series" USING btree ("expand_at") WHERE expand_at is not null;--> statement-breakpoint
CREATE INDEX "planning_checkpoints_thread" ON "countersign"."planning_checkpoints" USING btree ("thread_id","checkpoint_ns","created_at");--> statement-breakpoint
CREATE INDEX "planning_memo_created" ON "countersign"."planning_memo" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "roadmap_edges_to" ON "countersign"."roadmap_edges" USING btree ("plan_id","version","to_node");--> statement-breakpoint
CREATE INDEX "schedule_blocks_time" ON "countersign"."schedule_blocks" USING btree ("starts_at","ends_at");