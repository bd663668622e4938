ALTER TABLE "countersign"."past_steps" ADD COLUMN "duration" text;--> statement-breakpoint
ALTER TABLE "countersign"."plan_steps" ADD COLUMN "duration" text;