CREATE TABLE "countersign"."rate_limits" (
	"key" text PRIMARY KEY NOT NULL,
	"until" timestamp with time zone NOT NULL
);
