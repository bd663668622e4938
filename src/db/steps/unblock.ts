// Frees dependents when a prerequisite is met.
import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import type { DependencyType } from '#domain/plan/dependency.ts';
import { countersign } from '../schema/columns.ts';

/** The worker, and its lease in seconds. */
export type StartPlaceholders = {
  lanes: Placeholder;
  room: Placeholder;
  worker: Placeholder;
  seconds: Placeholder;
};

/** Room for all successors, waiting ones included; if not, freed steps become ready and the best are claimed. */
const allFit = ({ room }: StartPlaceholders) =>
  sql`(select count(*) from met_edges) <= ${room}::int`;

/** If it waits for nothing else and never began: its place in line is now. */
const starts = ({ lanes }: StartPlaceholders) => sql`
  ${becomesReady} and lag = 0 and map.fit and s.attempt = 0 and s.lane = any(${lanes}::int[])
    and coalesce(s.available_at <= clock_timestamp(), true)`;

const becomesReady = sql`s.status = 'pending' and s.unmet = n`;

const lookUp = sql`
  select (edges ->> 0)::int as n, (edges ->> 1)::int as lag from (select map.m -> s.position::text as edges offset 0) found
  offset 0`;

const availableAt = sql`greatest(
  s.available_at,
  case when lag > 0 then clock_timestamp() + make_interval(mins => lag) end,
  case when ${becomesReady} then clock_timestamp() end)`;

const setReady = sql`(unmet, available_at, status) = (
    select s.unmet - n, ${availableAt}, case when ${becomesReady} then 'ready' else s.status end from (${lookUp}) known
  )`;

const setReadyOrStart = (terms: StartPlaceholders) => sql`
  (unmet, available_at, status, attempt, tries, lease_owner, lease_until, started_at) = (
    select s.unmet - n, ${availableAt},
      case when started then 'running' when ${becomesReady} then 'ready' else s.status end,
      s.attempt + started::int, s.tries + started::int,
      case when started then ${terms.worker} else s.lease_owner end,
      case when started then clock_timestamp() + make_interval(secs => ${terms.seconds}) else s.lease_until end,
      case when started then clock_timestamp() else s.started_at end
    from (select *, ${starts(terms)} as started from (${lookUp}) counted offset 0) known
  )`;

// By arrays of positions, as in claim and settle: a new plan has no statistics to choose a join by.
/** The CTE `freed_now`, after a CTE `met(position)`; with `terms`, freed steps start. A negative lag counts as none. */
export function freeSuccessors(
  planId: string | Placeholder,
  types: DependencyType[],
  terms: StartPlaceholders | null = null,
): SQL {
  const wanted = sql.raw(types.map((type) => `'${type}'`).join(', '));
  return sql`
    met_edges as materialized (
      select e.successor, count(*)::int as n, max(greatest(e.lag_minutes, 0)) as lag
      from ${countersign}.plan_edges e
      where e.plan_id = ${planId} and e.predecessor = any(array(select position from met)) and e.type in (${wanted})
      group by e.successor
    ),
    met_map as materialized (
      select coalesce(jsonb_object_agg(successor::text, jsonb_build_array(n, lag)), '{}') as m,
        ${terms === null ? sql`false` : allFit(terms)} as fit
      from met_edges
    ),
    freed as (
      update ${countersign}.step_states s set ${terms === null ? setReady : setReadyOrStart(terms)}
      from met_map map
      where s.plan_id = ${planId} and s.position = any(array(select successor from met_edges))
      returning s.position, s.step_id, s.partition, s.lane, s.status, s.attempt, s.tries, s.final_args, s.priority,
        s.dependents, s.available_at
    ),
    -- Only pending steps have prerequisites that are not met, so what is ready or runs now was pending before.
    freed_now as (select * from freed where status in ('ready', 'running'))`;
}
