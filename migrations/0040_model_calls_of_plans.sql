ALTER TABLE "countersign"."model_calls" ADD COLUMN "plan_id" text;--> statement-breakpoint
ALTER TABLE "countersign"."model_calls" ADD COLUMN "tenant" text;