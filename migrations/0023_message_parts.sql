ALTER TABLE "countersign"."messages" ADD COLUMN "parts" jsonb;--> statement-breakpoint
ALTER TABLE "countersign"."runs" ADD COLUMN "request_message" bigint;--> statement-breakpoint
ALTER TABLE "countersign"."runs" ADD COLUMN "response_message" bigint;--> statement-breakpoint
UPDATE "countersign"."runs" r SET
  "request_message" = (SELECT max(m."id") FROM "countersign"."messages" m
    WHERE m."conversation" = r."conversation" AND m."run_id" = r."id" AND m."author" = 'person'
      AND position(r."request" in m."text") > 0)
WHERE r."planning_status" IN ('running', 'needs_clarification', 'needs_scheduling_escalation');
