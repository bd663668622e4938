ALTER TABLE "countersign"."plan_events" ADD COLUMN "n" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "countersign"."plan_events" ADD COLUMN "step_ids" text[];--> statement-breakpoint
ALTER TABLE "countersign"."plan_events" ADD COLUMN "details" text[];--> statement-breakpoint
UPDATE "countersign"."plan_events" SET "step_ids" = ARRAY["step_id"] WHERE "step_id" IS NOT NULL;--> statement-breakpoint
UPDATE "countersign"."plan_events" SET "details" = ARRAY["detail"] WHERE "detail" IS NOT NULL;--> statement-breakpoint
ALTER TABLE "countersign"."plan_events" DROP COLUMN "step_id";--> statement-breakpoint
ALTER TABLE "countersign"."plan_events" DROP COLUMN "detail";