ALTER TABLE "countersign"."node_steps" ADD CONSTRAINT "node_steps_node" FOREIGN KEY ("plan_id","version","node_id") REFERENCES "countersign"."outline_nodes"("plan_id","version","node_id") ON DELETE cascade ON UPDATE no action NOT VALID;--> statement-breakpoint
-- What a deletion in parts has left of plans that are gone already. The constraint lets no more come meanwhile.
DELETE FROM "countersign"."node_steps" s WHERE NOT EXISTS (
  SELECT 1 FROM "countersign"."outline_nodes" n WHERE n.plan_id = s.plan_id AND n.version = s.version AND n.node_id = s.node_id);--> statement-breakpoint
ALTER TABLE "countersign"."node_steps" VALIDATE CONSTRAINT "node_steps_node";
