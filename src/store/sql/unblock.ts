// Telling successors that a prerequisite is met: their count goes down, and at zero they become ready.
import { type SQL, sql } from 'drizzle-orm';
import type { DependencyType } from '#contracts/plan.ts';

/**
 * The CTE `freed` for a statement with a CTE `met(position)` of steps whose start or finish meets their outgoing
 * edges of the given types. A negative lag (lead) counts as none: a finish cannot be known beforehand.
 * Rows: position, step_id, partition, status before and after, available_at.
 */
export function freeSuccessors(planId: string, types: DependencyType[]): SQL {
  return sql`
    met_edges as (
      select e.successor, count(*)::int as n, max(greatest(e.lag_minutes, 0)) as lag
      from countersign.plan_edges e join met on met.position = e.predecessor
      where e.plan_id = ${planId} and e.type = any(${sql.param(types)}::text[])
      group by e.successor
    ),
    freed_before as (
      select s.position, s.status, m.n, m.lag from countersign.plan_steps s
      join met_edges m on m.successor = s.position where s.plan_id = ${planId}
    ),
    freed as (
      update countersign.plan_steps s set unmet = s.unmet - b.n,
        available_at = case when b.lag > 0
          then greatest(coalesce(s.available_at, s.not_before, '-infinity'), clock_timestamp() + make_interval(mins => b.lag))
          else coalesce(s.available_at, s.not_before) end,
        status = case when s.status = 'pending' and s.unmet - b.n = 0 then 'ready' else s.status end
      from freed_before b where s.plan_id = ${planId} and s.position = b.position
      returning s.position, s.step_id, s.partition, b.status as from_status, s.status as to_status, s.available_at
    )`;
}
