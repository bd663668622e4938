// Impact analysis: how dependents become stale. Callers hold the plan's lock.
import { type SQL, sql } from 'drizzle-orm';
import type { StepSelector } from '#domain/plan/step-selector.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { accounting, type PlanProgress, progressOf } from '../steps/accounting.ts';
import { isMet } from '../steps/conditions.ts';

/** May repeat positions. */
export function positionsOf(planId: string, { ids, partition, tag }: StepSelector): SQL {
  const found: SQL[] = [];
  const of = (condition: SQL) =>
    sql`select position from ${countersign}.plan_steps where plan_id = ${planId} and ${condition}`;
  if (ids !== undefined) found.push(of(sql`step_id = any(${sql.param(ids)}::text[])`));
  if (partition !== undefined) found.push(of(sql`partition = ${partition}`));
  if (tag !== undefined) found.push(of(sql`tags @> array[${tag}]::text[] and tags <> '{}'`));
  return found.length === 0
    ? sql`select null::int as position where false`
    : sql.join(found, sql` union all `);
}

export async function hasSteps(
  db: Queryable,
  planId: string,
  selector: StepSelector,
): Promise<boolean> {
  return db.hasRows(sql`${positionsOf(planId, selector)} limit 1`);
}

export async function hasOperation(
  db: Queryable,
  planId: string,
  selector: StepSelector,
  { tool, operation }: { tool: string; operation: string },
): Promise<boolean> {
  return db.hasRows(sql`
    select from ${countersign}.plan_steps c
    where c.plan_id = ${planId} and c.tool = ${tool} and c.operation = ${operation}
      and c.position in (${positionsOf(planId, selector)}) limit 1`);
}

/** Steps that wait for the ends of those in `from(position)`; may repeat. */
export const successorsOf = (planId: string, from: string): SQL => sql`
  select e.successor from ${sql.raw(from)} f cross join lateral (
    select successor from ${countersign}.plan_edges
    where plan_id = ${planId} and predecessor = f.position and type in ('FS', 'FF') offset 0
  ) e`;

/** CTE `affected(position)`: all transitive dependents. Edges are looked up per step, independent of planner statistics. */
export function affectedBy(planId: string, sources: SQL, included = false): SQL {
  return sql`
    sources as materialized (select distinct position from (${sources}) found),
    reached(position) as (
      ${included ? sql`select position from sources` : successorsOf(planId, 'sources')}
      union
      ${successorsOf(planId, 'reached')}
    ),
    affected as materialized (select position from reached)`;
}

/** By finding: steps whose new predecessors it covers. */
export async function findNewlyCovered(
  tx: Queryable,
  planId: string,
  edges: { predecessor: number; successor: number; type: string }[],
): Promise<(Cause & { positions: number[] })[]> {
  return tx.rows(sql`
    select p.held_by[1] as finding, min(left(f.message, 200)) as message, array_agg(distinct g.successor) as positions
    from jsonb_to_recordset(${JSON.stringify(edges)}::jsonb) as g(predecessor int, successor int, type text)
    join ${countersign}.step_states p on p.plan_id = ${planId} and p.position = g.predecessor
      and p.status in ('stale', 'running', 'unknown')
    join ${countersign}.plan_findings f on f.id = p.held_by[1]
    where g.type in ('FS', 'FF') group by 1`);
}

/** How many of the ends that the row `s` of `step_states` waits for are of the CTE's steps. */
export const countEdgesFrom = (planId: string, source: 'lost' | 'back'): SQL => sql`
  case when exists (select from ${sql.raw(source)}) then (
    select count(*)::int from ${countersign}.plan_edges e
    where e.plan_id = ${planId} and e.successor = s.position and e.type in ('FS', 'FF')
      and e.predecessor in (select position from ${sql.raw(source)})
  ) else 0 end`;

export type Cause = { finding: string; message: string };

export type Contained = {
  /** Including those that become stale once they end. */
  stale: number;
  later: number;
  progress: PlanProgress | null;
};

/**
 * Running and unknown steps are only marked. Dependents wait again for a stale step that had succeeded. @param included
 * `sources` too
 */
export async function makeStale(
  tx: Queryable,
  planId: string,
  sources: SQL,
  { finding, message }: Cause,
  included = false,
): Promise<Contained> {
  const becomes = sql`s.status not in ('stale', 'running', 'unknown', 'cancelled')`;
  const [row] = await tx.rows<PlanProgress & { stale_now: number; later: number }>(sql`
    with recursive ${affectedBy(planId, sources, included)},
    lost as materialized (
      select s.position from ${countersign}.step_states s
      where s.plan_id = ${planId} and s.position = any(array(select position from affected)) and ${isMet('s')}
    ),
    marked as (
      update ${countersign}.step_states s set
        status = case when ${becomes} then 'stale' else s.status end,
        unmet = s.unmet + ${countEdgesFrom(planId, 'lost')},
        held_by = case when s.status = 'cancelled' or ${finding} = any(s.held_by) then s.held_by
          else array_append(s.held_by, ${finding}::text) end,
        was_status = case when ${becomes} then s.status else s.was_status end,
        was_error = case when ${becomes} then s.error else s.was_error end
      where s.plan_id = ${planId} and s.position = any(array(select position from affected))
      returning s.position, s.step_id, s.partition, s.status, s.was_status
    ),
    waiting as materialized (
      select s.position from ${countersign}.step_states s
      where s.plan_id = ${planId} and s.position = any(array(select position from affected)) and s.status = 'stale'
    ),
    -- Read out of what was written: whichever way the old rows were joined, Postgres might compare each with each.
    changed as (
      select position, step_id, partition, was_status as from_status, status as to_status,
        'step_stale'::text as kind, ${message}::text as detail
      from marked where status = 'stale' and position not in (select position from waiting)
    ),
    waits as (
      delete from ${countersign}.resource_waits w
      where w.plan_id = ${planId} and w.position in (select position from changed)
    ),
    ${accounting(planId)}
    select (select count(*)::int from marked where status = 'stale') as stale_now,
      (select count(*)::int from marked where status in ('running', 'unknown')) as later, plan.*
    from (select 1) one left join plan on true`);
  return { stale: row?.stale_now ?? 0, later: row?.later ?? 0, progress: progressOf(row) };
}
