CREATE TABLE "countersign"."chat_places" (
	"conversation" text PRIMARY KEY NOT NULL,
	"platform" text NOT NULL,
	"tenant" text NOT NULL,
	"channel" text NOT NULL,
	"thread" text,
	"timezone" text,
	"delivered" bigint DEFAULT 0 NOT NULL,
	"asked" bigint DEFAULT 0 NOT NULL,
	"answered" bigint DEFAULT 0 NOT NULL,
	"due_at" timestamp with time zone,
	"not_before" timestamp with time zone,
	"tries" integer DEFAULT 0 NOT NULL,
	"broken" text,
	"broken_at" timestamp with time zone,
	"holder" text,
	"lease_until" timestamp with time zone,
	CONSTRAINT "chat_places_place" UNIQUE NULLS NOT DISTINCT("platform","tenant","channel","thread")
);
--> statement-breakpoint
CREATE TABLE "countersign"."chat_posts" (
	"message_id" bigint PRIMARY KEY NOT NULL,
	"conversation" text NOT NULL,
	"plan_id" text,
	"key" text NOT NULL,
	"state" text DEFAULT 'sending' NOT NULL,
	"post" jsonb,
	"live" boolean NOT NULL,
	"superseded" boolean DEFAULT false NOT NULL,
	"asked" bigint DEFAULT 0 NOT NULL,
	"answered" bigint DEFAULT 0 NOT NULL,
	"shown" text,
	"shown_at" timestamp with time zone,
	"failures" integer DEFAULT 0 NOT NULL,
	"error" text
);
--> statement-breakpoint
CREATE INDEX "chat_places_waiting" ON "countersign"."chat_places" USING btree ("platform","conversation") WHERE asked > answered or due_at is not null;--> statement-breakpoint
CREATE INDEX "chat_places_broken" ON "countersign"."chat_places" USING btree ("broken_at") WHERE broken is not null;--> statement-breakpoint
CREATE INDEX "chat_posts_live" ON "countersign"."chat_posts" USING btree ("plan_id") WHERE live;--> statement-breakpoint
CREATE INDEX "chat_posts_stale" ON "countersign"."chat_posts" USING btree ("conversation","message_id") WHERE asked > answered or state = 'sending';--> statement-breakpoint
CREATE INDEX "chat_posts_failed" ON "countersign"."chat_posts" USING btree ("message_id") WHERE error is not null;