CREATE TABLE "countersign"."kept_answers" (
	"key" text PRIMARY KEY NOT NULL,
	"request" text NOT NULL,
	"answer" jsonb,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "kept_answers_at" ON "countersign"."kept_answers" USING btree ("at");