DROP INDEX "countersign"."chat_places_waiting";--> statement-breakpoint
DROP INDEX "countersign"."chat_posts_stale";--> statement-breakpoint
DROP INDEX "countersign"."chat_posts_resting";--> statement-breakpoint
ALTER TABLE "countersign"."chat_posts" ADD COLUMN "redraw_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "countersign"."chat_posts" ADD COLUMN "failing_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "countersign"."chat_posts" ADD COLUMN "strays" jsonb;--> statement-breakpoint
ALTER TABLE "countersign"."link_codes" ADD COLUMN "once" text;--> statement-breakpoint
ALTER TABLE "countersign"."link_codes" ADD COLUMN "earlier_hash" text;--> statement-breakpoint
ALTER TABLE "countersign"."teams_conversations" ADD COLUMN "news_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "chat_posts_strays" ON "countersign"."chat_posts" USING btree ("conversation") WHERE strays is not null;--> statement-breakpoint
CREATE INDEX "link_codes_earlier" ON "countersign"."link_codes" USING btree ("earlier_hash") WHERE earlier_hash is not null;--> statement-breakpoint
CREATE INDEX "chat_places_waiting" ON "countersign"."chat_places" USING btree ("platform","conversation") WHERE (asked > answered or due_at is not null) and broken is null;--> statement-breakpoint
CREATE INDEX "chat_posts_stale" ON "countersign"."chat_posts" USING btree ("conversation","message_id") WHERE asked > answered or state = 'sending' or redraw_at is not null;--> statement-breakpoint
CREATE INDEX "chat_posts_resting" ON "countersign"."chat_posts" USING btree ("shown_at") WHERE not live and asked <= answered and state <> 'sending';