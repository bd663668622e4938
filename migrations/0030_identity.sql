CREATE TABLE "countersign"."access_tokens" (
	"id" text PRIMARY KEY NOT NULL,
	"hash" text NOT NULL,
	"account" text NOT NULL,
	"name" text NOT NULL,
	"role" text NOT NULL,
	"tenant" text,
	"created_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone,
	"used_at" timestamp with time zone,
	"revoked_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "countersign"."chat_groups" (
	"name" text PRIMARY KEY NOT NULL,
	"accounts" text[] NOT NULL,
	"read_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "countersign"."sign_in_sessions" (
	"hash" text PRIMARY KEY NOT NULL,
	"account" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"used_at" timestamp with time zone NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "countersign"."sign_in_tries" (
	"state_hash" text PRIMARY KEY NOT NULL,
	"browser_hash" text NOT NULL,
	"provider" text NOT NULL,
	"nonce" text NOT NULL,
	"verifier" text NOT NULL,
	"back_to" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "countersign"."signed_in" (
	"account" text PRIMARY KEY NOT NULL,
	"provider" text NOT NULL,
	"name" text NOT NULL,
	"email" text,
	"tenant" text,
	"groups" text[] NOT NULL,
	"at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "countersign"."runs" ADD COLUMN "verified" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "countersign"."runs" ADD COLUMN "tenant" text;--> statement-breakpoint
ALTER TABLE "countersign"."link_codes" ADD COLUMN "verified" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "countersign"."approvals" ADD COLUMN "verified" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "countersign"."plans" ADD COLUMN "requester_verified" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "countersign"."plans" ADD COLUMN "tenant" text;--> statement-breakpoint
CREATE UNIQUE INDEX "access_tokens_hash" ON "countersign"."access_tokens" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "access_tokens_account" ON "countersign"."access_tokens" USING btree ("account","created_at");--> statement-breakpoint
CREATE INDEX "sign_in_sessions_account" ON "countersign"."sign_in_sessions" USING btree ("account");--> statement-breakpoint
CREATE INDEX "sign_in_sessions_expires" ON "countersign"."sign_in_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "sign_in_tries_expires" ON "countersign"."sign_in_tries" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "plans_tenant_created" ON "countersign"."plans" USING btree ("tenant","created_at","id");--> statement-breakpoint
UPDATE "countersign"."runs" r SET "tenant" = c."platform" || ':' || c."tenant"
FROM "countersign"."chat_places" c WHERE c."conversation" = r."conversation";--> statement-breakpoint
UPDATE "countersign"."runs" SET "verified" = true WHERE "via" IN ('slack', 'teams');--> statement-breakpoint
UPDATE "countersign"."plans" p SET "tenant" = r."tenant" FROM "countersign"."runs" r WHERE r."id" = p."run_id" AND r."tenant" IS NOT NULL;--> statement-breakpoint
UPDATE "countersign"."plans" p SET "tenant" = c."platform" || ':' || c."tenant"
FROM "countersign"."chat_places" c WHERE c."conversation" = p."conversation";--> statement-breakpoint
UPDATE "countersign"."plans" p SET "requester_verified" = true WHERE coalesce(
	(SELECT case when f."actor_kind" = 'person' then f."via" end FROM (
		SELECT d."actor_kind", d."via" FROM "countersign"."audit" d
		WHERE d."plan_id" = p."id" AND d."action" = 'propose' ORDER BY d."id" LIMIT 1) f),
	(SELECT r."via" FROM "countersign"."runs" r WHERE r."id" = p."run_id")) IN ('slack', 'teams');--> statement-breakpoint
UPDATE "countersign"."approvals" a SET "verified" = true WHERE EXISTS (
	SELECT FROM "countersign"."audit" d
	WHERE d."plan_id" = a."plan_id" AND d."version" = a."version" AND d."digest" = a."digest"
		AND lower(d."actor") = lower(a."approver") AND d."at" >= a."at" AND d."action" = 'approve_in_part'
		AND d."actor_kind" = 'person' AND d."via" IN ('slack', 'teams'));--> statement-breakpoint
UPDATE "countersign"."link_codes" SET "verified" = true WHERE "via" IN ('slack', 'teams');
