CREATE TABLE "countersign"."tenancy" (
	"name" text PRIMARY KEY NOT NULL,
	"apart" boolean NOT NULL,
	"owners" text[] DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
ALTER TABLE "countersign"."webhook_endpoints" ADD COLUMN "organisations" text[];--> statement-breakpoint
ALTER TABLE "countersign"."webhook_endpoints" ADD COLUMN "shared" boolean DEFAULT false NOT NULL;