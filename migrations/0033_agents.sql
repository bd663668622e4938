ALTER TABLE "countersign"."runs" ADD COLUMN "agent" text;--> statement-breakpoint
ALTER TABLE "countersign"."plans" ADD COLUMN "agent" text;