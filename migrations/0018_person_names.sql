CREATE TABLE "countersign"."person_names" (
	"account" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"folded" text NOT NULL
);
--> statement-breakpoint
CREATE INDEX "person_names_folded" ON "countersign"."person_names" USING btree ("folded");