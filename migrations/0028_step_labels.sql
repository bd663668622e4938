ALTER TABLE "countersign"."plan_steps" ADD COLUMN "label" text;--> statement-breakpoint
WITH RECURSIVE small AS (
  SELECT plan_id FROM countersign.plan_steps GROUP BY plan_id HAVING count(*) <= 24
), reach (plan_id, position, level) AS (
  SELECT s.plan_id, s.position, 0 FROM countersign.plan_steps s JOIN small USING (plan_id)
  UNION
  SELECT r.plan_id, e.successor, r.level + (e.type = 'FS')::int
  FROM reach r JOIN countersign.plan_edges e ON e.plan_id = r.plan_id AND e.predecessor = r.position
  WHERE r.level < 24
), levels AS (
  SELECT plan_id, position, max(level) AS level FROM reach GROUP BY plan_id, position
), numbered AS (
  SELECT plan_id, position, dense_rank() OVER (PARTITION BY plan_id ORDER BY level) AS number,
    count(*) OVER (PARTITION BY plan_id, level) AS size,
    row_number() OVER (PARTITION BY plan_id, level ORDER BY position) AS place
  FROM levels
)
UPDATE countersign.plan_steps s
SET label = n.number || CASE WHEN n.size > 1 THEN chr(96 + n.place::int) ELSE '' END
FROM numbered n WHERE s.plan_id = n.plan_id AND s.position = n.position;
