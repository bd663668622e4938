CREATE TABLE "countersign"."chat_homes" (
	"platform" text NOT NULL,
	"tenant" text NOT NULL,
	"user" text NOT NULL,
	"opened_at" timestamp with time zone NOT NULL,
	"stale" boolean DEFAULT false NOT NULL,
	"shown" text,
	"not_before" timestamp with time zone,
	"tries" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp with time zone,
	CONSTRAINT "chat_homes_platform_tenant_user_pk" PRIMARY KEY("platform","tenant","user")
);
--> statement-breakpoint
CREATE INDEX "chat_homes_opened" ON "countersign"."chat_homes" USING btree ("opened_at");--> statement-breakpoint
CREATE INDEX "chat_homes_stale" ON "countersign"."chat_homes" USING btree ("platform","not_before") WHERE stale or lease_until is not null;--> statement-breakpoint
CREATE INDEX "messages_plan" ON "countersign"."messages" USING btree ("plan_id","conversation") WHERE plan_id is not null;