CREATE TABLE "countersign"."playbooks" (
	"tenant" text NOT NULL,
	"name" text NOT NULL,
	"owner" text NOT NULL,
	"plan_id" text NOT NULL,
	"draft" jsonb NOT NULL,
	"params" jsonb NOT NULL,
	"total_steps" integer NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "playbooks_tenant_name_pk" PRIMARY KEY("tenant","name")
);
