CREATE TABLE "countersign"."memory" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"scope" text NOT NULL,
	"owner" text NOT NULL,
	"name" text,
	"text" text NOT NULL,
	"source" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "memory_owner" ON "countersign"."memory" USING btree ("scope","owner");