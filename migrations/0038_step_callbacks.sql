CREATE TABLE "countersign"."step_callbacks" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"plan_id" text NOT NULL,
	"position" integer NOT NULL,
	"attempt" integer NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"result_digest" text
);
--> statement-breakpoint
ALTER TABLE "countersign"."step_callbacks" ADD CONSTRAINT "step_callbacks_plan_id_plans_id_fk" FOREIGN KEY ("plan_id") REFERENCES "countersign"."plans"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "step_callbacks_attempt" ON "countersign"."step_callbacks" USING btree ("plan_id","position","attempt");