CREATE TABLE "countersign"."former_links" (
	"account" text NOT NULL,
	"other" text NOT NULL,
	"ended_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
	CONSTRAINT "former_links_account_other_pk" PRIMARY KEY("account","other")
);
