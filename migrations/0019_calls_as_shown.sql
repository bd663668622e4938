ALTER TABLE "countersign"."plan_versions" ADD COLUMN "operation_digests" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "countersign"."plans" ADD COLUMN "operation_digests" jsonb DEFAULT '{}'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "countersign"."plan_steps" ADD COLUMN "when" jsonb;--> statement-breakpoint
ALTER TABLE "countersign"."plan_steps" ADD COLUMN "ask_before" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "countersign"."plan_steps" ADD COLUMN "review_rank" smallint DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "countersign"."plan_steps" ADD COLUMN "seen" jsonb;--> statement-breakpoint
CREATE INDEX "plan_steps_review" ON "countersign"."plan_steps" USING btree ("plan_id","review_rank" DESC NULLS FIRST,"position") WHERE review_rank > 0;--> statement-breakpoint
UPDATE "countersign"."plan_steps" SET "review_rank" = CASE
    WHEN "guarded" THEN 4
    WHEN "operation" = 'delete' AND "tool" = 'workspace' THEN 3
    WHEN "tool" = 'http' OR ("tool" = 'calendar' AND "args"->>'calendar' LIKE '%://%') THEN 2
    WHEN "tool" IN ('workspace', 'calendar', 'text', 'control') AND "effect" = 'read' THEN 0
    WHEN "tool" IN ('workspace', 'calendar', 'chat', 'human', 'reminder') THEN 1
    ELSE 2 END;
