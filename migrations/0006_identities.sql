CREATE TABLE "countersign"."identities" (
	"account" text PRIMARY KEY NOT NULL,
	"person" text NOT NULL,
	"linked_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "countersign"."link_codes" (
	"account" text PRIMARY KEY NOT NULL,
	"code_hash" text NOT NULL,
	"via" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"used_by" text
);
--> statement-breakpoint
CREATE TABLE "countersign"."link_tries" (
	"account" text PRIMARY KEY NOT NULL,
	"since" timestamp with time zone NOT NULL,
	"wrong" integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX "identities_person" ON "countersign"."identities" USING btree ("person");--> statement-breakpoint
CREATE UNIQUE INDEX "link_codes_hash" ON "countersign"."link_codes" USING btree ("code_hash");--> statement-breakpoint
CREATE INDEX "link_codes_expires" ON "countersign"."link_codes" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "link_tries_since" ON "countersign"."link_tries" USING btree ("since");--> statement-breakpoint
CREATE INDEX "chat_posts_resting" ON "countersign"."chat_posts" USING btree ("shown_at") WHERE not live;