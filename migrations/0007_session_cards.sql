ALTER TABLE "countersign"."chat_posts" ADD COLUMN "run_id" text;--> statement-breakpoint
ALTER TABLE "countersign"."chat_posts" ADD COLUMN "run_turn" integer;--> statement-breakpoint
CREATE INDEX "chat_posts_sessions" ON "countersign"."chat_posts" USING btree ("conversation","message_id") WHERE live and run_id is not null;