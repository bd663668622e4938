// Telling successors that a prerequisite is met: their count goes down, and at zero they become ready.
import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { DependencyType } from '#contracts/plan.ts';

/**
 * The CTE `freed_now(position, step_id, partition, available_at)` of pending steps that became ready, for a statement
 * with a CTE `met(position)` of steps whose start or finish meets their outgoing edges of the given types. A negative
 * lag (lead) counts as none: a finish cannot be known beforehand.
 *
 * Rows are found by arrays of positions, here and in claim and settle: which way round a join is done would depend on
 * statistics, and those of a plan that was stored a moment ago do not exist yet.
 */
export function freeSuccessors(planId: string | Placeholder, types: DependencyType[]): SQL {
  const wanted = sql.raw(types.map((type) => `'${type}'`).join(', '));
  return sql`
    met_edges as materialized (
      select e.successor, count(*)::int as n, max(greatest(e.lag_minutes, 0)) as lag
      from countersign.plan_edges e
      where e.plan_id = ${planId} and e.predecessor = any(array(select position from met)) and e.type in (${wanted})
      group by e.successor
    ),
    met_map as materialized (
      select coalesce(jsonb_object_agg(successor::text, jsonb_build_array(n, lag)), '{}') as m from met_edges
    ),
    freed as (
      update countersign.step_states s
      set unmet = s.unmet - (map.m -> s.position::text ->> 0)::int,
        available_at = greatest(
          s.available_at,
          case when (map.m -> s.position::text ->> 1)::int > 0
            then clock_timestamp() + make_interval(mins => (map.m -> s.position::text ->> 1)::int) end,
          case when s.status = 'pending' and s.unmet = (map.m -> s.position::text ->> 0)::int
            then clock_timestamp() end),
        status = case when s.status = 'pending' and s.unmet = (map.m -> s.position::text ->> 0)::int
          then 'ready' else s.status end
      from met_map map
      where s.plan_id = ${planId} and s.position = any(array(select successor from met_edges))
      returning s.position, s.step_id, s.partition, s.status, s.available_at
    ),
    -- Only pending steps have prerequisites that are not met, so what is ready now was pending before.
    freed_now as (select position, step_id, partition, available_at from freed where status = 'ready')`;
}
