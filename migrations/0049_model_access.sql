CREATE TABLE "countersign"."model_access" (
	"id" integer PRIMARY KEY NOT NULL,
	"sealed" "bytea" NOT NULL,
	"connected_by" text NOT NULL,
	"connected_at" timestamp with time zone NOT NULL
);
