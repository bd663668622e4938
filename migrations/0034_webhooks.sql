CREATE TABLE "countersign"."webhook_deliveries" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"endpoint" text NOT NULL,
	"message" text NOT NULL,
	"type" text NOT NULL,
	"plan_id" text NOT NULL,
	"data" jsonb NOT NULL,
	"once" text,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"due_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	"until" timestamp with time zone DEFAULT clock_timestamp() + interval '1 day' NOT NULL,
	"state" text DEFAULT 'open' NOT NULL,
	"ended_at" timestamp with time zone,
	"error" text
);
--> statement-breakpoint
CREATE TABLE "countersign"."webhook_endpoints" (
	"id" text PRIMARY KEY NOT NULL,
	"url" text NOT NULL,
	"events" text[],
	"failures" integer DEFAULT 0 NOT NULL,
	"not_before" timestamp with time zone,
	"last_error" text,
	"last_error_at" timestamp with time zone,
	"last_ok_at" timestamp with time zone,
	"gone_at" timestamp with time zone,
	"holder" text,
	"lease_until" timestamp with time zone
);
--> statement-breakpoint
CREATE UNIQUE INDEX "webhook_deliveries_once" ON "countersign"."webhook_deliveries" USING btree ("endpoint","once");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_open" ON "countersign"."webhook_deliveries" USING btree ("endpoint","plan_id","id") WHERE state = 'open';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_ended" ON "countersign"."webhook_deliveries" USING btree ("ended_at") WHERE ended_at is not null;