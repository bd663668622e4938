// Telling successors that a prerequisite is met: their count goes down, and at zero they become ready, or start at once.
import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { DependencyType } from '#contracts/plan.ts';

/** What the rows of steps that start at once are given: who runs them and how long their leases are, in seconds. */
export type StartPlaceholders = {
  lanes: Placeholder;
  /** How many may start. */
  room: Placeholder;
  worker: Placeholder;
  seconds: Placeholder;
};

/** What is known of a step in `met_map`: how many prerequisites were met, their longest lag, whether it starts (0, 1). */
const met = (index: 0 | 1 | 2) => sql.raw(`(map.m -> s.position::text ->> ${index})::int`);

const mapEdges = sql`
    met_map as materialized (
      select coalesce(jsonb_object_agg(successor::text, jsonb_build_array(n, lag)), '{}') as m from met_edges
    )`;

/**
 * The same map, with which of the steps start: those that wait for nothing else and were never begun before, in the order
 * of a claim (all of them become ready at this moment), as many as there is room for. The rest become ready.
 */
const mapEdgesAndStart = (planId: string | Placeholder, { lanes, room }: StartPlaceholders) => sql`
    met_steps as materialized (
      select e.*, s.priority, s.dependents, s.status = 'pending' and s.unmet = e.n and e.lag = 0 and s.attempt = 0
          and s.lane = any(${lanes}::int[]) and coalesce(s.available_at <= clock_timestamp(), true) as startable
      from met_edges e cross join lateral (
        select * from countersign.step_states s where s.plan_id = ${planId} and s.position = e.successor offset 0
      ) s
    ),
    met_map as materialized (
      select coalesce(jsonb_object_agg(successor::text,
        jsonb_build_array(n, lag, (startable and rank <= ${room}::int)::int)), '{}') as m
      from (
        select *, row_number() over (partition by startable order by priority desc, dependents desc, successor) as rank
        from met_steps
      ) ranked
    )`;

const start = ({ worker, seconds }: StartPlaceholders) => sql`,
        attempt = s.attempt + ${met(2)}, tries = s.tries + ${met(2)},
        lease_owner = case when ${met(2)} = 1 then ${worker} else s.lease_owner end,
        lease_until = case when ${met(2)} = 1 then clock_timestamp() + make_interval(secs => ${seconds})
          else s.lease_until end,
        started_at = case when ${met(2)} = 1 then clock_timestamp() else s.started_at end`;

/**
 * The CTE `freed_now(position, step_id, partition, lane, status, attempt, available_at)` of pending steps that became
 * ready, or with `terms` started, for a statement with a CTE `met(position)` of steps whose start or finish meets their
 * outgoing edges of the given types. A negative lag (lead) counts as none: a finish cannot be known beforehand.
 *
 * Rows are found by arrays of positions, here and in claim and settle: which way round a join is done would depend on
 * statistics, and those of a plan that was stored a moment ago do not exist yet.
 */
export function freeSuccessors(
  planId: string | Placeholder,
  types: DependencyType[],
  terms: StartPlaceholders | null = null,
): SQL {
  const wanted = sql.raw(types.map((type) => `'${type}'`).join(', '));
  const becomesReady = sql`s.status = 'pending' and s.unmet = ${met(0)}`;
  return sql`
    met_edges as materialized (
      select e.successor, count(*)::int as n, max(greatest(e.lag_minutes, 0)) as lag
      from countersign.plan_edges e
      where e.plan_id = ${planId} and e.predecessor = any(array(select position from met)) and e.type in (${wanted})
      group by e.successor
    ),
    ${terms === null ? mapEdges : mapEdgesAndStart(planId, terms)},
    freed as (
      update countersign.step_states s
      set unmet = s.unmet - ${met(0)},
        available_at = greatest(
          s.available_at,
          case when ${met(1)} > 0 then clock_timestamp() + make_interval(mins => ${met(1)}) end,
          case when ${becomesReady} then clock_timestamp() end),
        status = case ${terms === null ? sql`` : sql`when ${met(2)} = 1 then 'running'`}
          when ${becomesReady} then 'ready' else s.status end${terms === null ? sql`` : start(terms)}
      from met_map map
      where s.plan_id = ${planId} and s.position = any(array(select successor from met_edges))
      returning s.position, s.step_id, s.partition, s.lane, s.status, s.attempt, s.available_at
    ),
    -- Only pending steps have prerequisites that are not met, so what is ready or runs now was pending before.
    freed_now as (select * from freed where status in ('ready', 'running'))`;
}
