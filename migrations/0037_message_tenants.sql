ALTER TABLE "countersign"."messages" ADD COLUMN "tenant" text;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_failed" ON "countersign"."webhook_deliveries" USING btree ("endpoint") WHERE state = 'failed';--> statement-breakpoint
UPDATE "countersign"."messages" m SET "tenant" = w."tenant" FROM (
	SELECT "conversation", min("tenant") AS "tenant" FROM (
		SELECT "conversation", "tenant" FROM "countersign"."runs"
		UNION ALL SELECT "conversation", "tenant" FROM "countersign"."plans" WHERE "conversation" IS NOT NULL) a
	GROUP BY "conversation" HAVING count(DISTINCT coalesce("tenant", '')) = 1 AND min("tenant") IS NOT NULL) w
WHERE m."conversation" = w."conversation"
	AND NOT EXISTS (SELECT FROM "countersign"."chat_places" c WHERE c."conversation" = m."conversation");
