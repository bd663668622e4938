ALTER TABLE "countersign"."chat_posts" ADD COLUMN "standing" text;--> statement-breakpoint
ALTER TABLE "countersign"."chat_posts" ADD COLUMN "urgent" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "countersign"."chat_posts" ADD COLUMN "not_before" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "countersign"."rate_limits" ADD COLUMN "spent_until" timestamp with time zone DEFAULT '-infinity' NOT NULL;