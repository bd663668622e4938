ALTER TABLE "countersign"."backends" ADD COLUMN "version" text;--> statement-breakpoint
ALTER TABLE "countersign"."runs" ADD COLUMN "traceparent" text;--> statement-breakpoint
ALTER TABLE "countersign"."plans" ADD COLUMN "traceparent" text;