CREATE TABLE "countersign"."mcp_sign_in_states" (
	"state" text PRIMARY KEY NOT NULL,
	"sealed" "bytea" NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "countersign"."mcp_sign_ins" (
	"server" text PRIMARY KEY NOT NULL,
	"sealed" "bytea" NOT NULL,
	"generation" integer NOT NULL,
	"refreshing_until" timestamp with time zone,
	"problem" text,
	"wants" text,
	"signed_in_by" text NOT NULL,
	"signed_in_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "mcp_sign_in_states_expiry" ON "countersign"."mcp_sign_in_states" USING btree ("expires_at");