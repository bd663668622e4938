CREATE TABLE "countersign"."inbox" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"platform" text NOT NULL,
	"tenant" text NOT NULL,
	"thread" text NOT NULL,
	"kind" text NOT NULL,
	"body" "bytea" NOT NULL,
	"received_at" timestamp with time zone NOT NULL,
	"stored_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"attempt" integer DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"error" text,
	"handled_at" timestamp with time zone,
	"failed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "countersign"."inbox_keys" (
	"platform" text NOT NULL,
	"tenant" text NOT NULL,
	"key" text NOT NULL,
	"event_id" bigint NOT NULL,
	CONSTRAINT "inbox_keys_platform_tenant_key_pk" PRIMARY KEY("platform","tenant","key")
);
--> statement-breakpoint
CREATE TABLE "countersign"."inbox_leases" (
	"platform" text NOT NULL,
	"tenant" text NOT NULL,
	"thread" text NOT NULL,
	"holder" text NOT NULL,
	"lease_until" timestamp with time zone NOT NULL,
	CONSTRAINT "inbox_leases_platform_tenant_thread_pk" PRIMARY KEY("platform","tenant","thread")
);
--> statement-breakpoint
CREATE INDEX "inbox_open" ON "countersign"."inbox" USING btree ("platform","tenant","thread","id") WHERE handled_at is null and failed_at is null;--> statement-breakpoint
CREATE INDEX "inbox_handled" ON "countersign"."inbox" USING btree ("handled_at") WHERE handled_at is not null;--> statement-breakpoint
CREATE INDEX "inbox_failed" ON "countersign"."inbox" USING btree ("failed_at") WHERE failed_at is not null;--> statement-breakpoint
CREATE INDEX "inbox_keys_event" ON "countersign"."inbox_keys" USING btree ("event_id");