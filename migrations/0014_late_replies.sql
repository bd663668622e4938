ALTER TABLE "countersign"."inbox" ADD COLUMN "error_code" text;--> statement-breakpoint
ALTER TABLE "countersign"."inbox" ADD COLUMN "reply_read_at" timestamp with time zone;--> statement-breakpoint
-- Nobody waits any more for what was replied before anybody noted that it was read.
UPDATE "countersign"."inbox" SET "reply_read_at" = "handled_at" WHERE "reply" IS NOT NULL;--> statement-breakpoint
CREATE INDEX "inbox_unread" ON "countersign"."inbox" USING btree ("handled_at") WHERE handled_at is not null and reply is not null and reply_read_at is null;