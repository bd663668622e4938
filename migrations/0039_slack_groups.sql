ALTER TABLE "countersign"."chat_groups" ADD COLUMN "target" text;--> statement-breakpoint
ALTER TABLE "countersign"."chat_groups" ADD COLUMN "handle" text;--> statement-breakpoint
ALTER TABLE "countersign"."chat_groups" ADD COLUMN "problem" text;