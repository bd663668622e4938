ALTER TABLE "countersign"."runs" ADD COLUMN "activity" jsonb;--> statement-breakpoint
ALTER TABLE "countersign"."chat_places" ADD COLUMN "status" jsonb;