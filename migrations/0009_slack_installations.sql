CREATE TABLE "countersign"."slack_installations" (
	"owner" text PRIMARY KEY NOT NULL,
	"org_wide" boolean NOT NULL,
	"name" text NOT NULL,
	"app_id" text NOT NULL,
	"scopes" text[] NOT NULL,
	"token" "bytea",
	"generation" integer NOT NULL,
	"installed_by" text NOT NULL,
	"installed_at" timestamp with time zone NOT NULL,
	"removed_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "countersign"."slack_oauth_states" (
	"id" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "countersign"."slack_workspaces" (
	"team" text PRIMARY KEY NOT NULL,
	"enterprise" text NOT NULL
);
--> statement-breakpoint
CREATE INDEX "slack_oauth_states_expiry" ON "countersign"."slack_oauth_states" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "slack_workspaces_enterprise" ON "countersign"."slack_workspaces" USING btree ("enterprise");