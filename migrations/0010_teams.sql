CREATE TABLE "countersign"."teams_conversations" (
	"tenant" text NOT NULL,
	"channel" text NOT NULL,
	"kind" text NOT NULL,
	"service_url" text NOT NULL,
	"bot" text NOT NULL,
	"person" text,
	"team" text,
	"timezone" text,
	"welcomed_at" timestamp with time zone,
	"removed_at" timestamp with time zone,
	CONSTRAINT "teams_conversations_tenant_channel_pk" PRIMARY KEY("tenant","channel")
);
--> statement-breakpoint
ALTER TABLE "countersign"."inbox" ADD COLUMN "reply" jsonb;--> statement-breakpoint
CREATE INDEX "teams_conversations_person" ON "countersign"."teams_conversations" USING btree ("tenant","person");--> statement-breakpoint
CREATE INDEX "teams_conversations_team" ON "countersign"."teams_conversations" USING btree ("tenant","team");