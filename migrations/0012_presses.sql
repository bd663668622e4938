CREATE TABLE "countersign"."presses" (
	"once" text PRIMARY KEY NOT NULL,
	"refused" jsonb,
	"at" timestamp with time zone DEFAULT clock_timestamp() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "presses_at" ON "countersign"."presses" USING btree ("at");