// Reads of a stored plan for a patch. Callers hold the plan's lock.
import { type SQL, sql } from 'drizzle-orm';
import type { StepStatus } from '#domain/plan/plan.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { isSkippedByCondition } from '../steps/conditions.ts';
import type { Edge } from '../steps/steps.ts';

/** A patch may touch these, unless attempted before. */
export const notBegun: readonly [StepStatus, ...StepStatus[]] = [
  'pending',
  'ready',
  'stale',
  'skipped',
];

/** Begun, but can be given up: nothing is under way. */
export const endable: readonly [StepStatus, ...StepStatus[]] = ['failed', 'unknown', 'waiting'];

/** Ended rows: no worker serves it, so claiming and counting skip them. */
export const noLane = 0;

export async function findSelected(
  tx: Queryable,
  planId: string,
  partitions: string[],
  tags: string[],
): Promise<{ step_id: string; partition: string | null; tags: string[] }[]> {
  if (partitions.length === 0 && tags.length === 0) return [];
  return tx.rows(sql`
    select step_id, partition, tags from ${countersign}.plan_steps
    where plan_id = ${planId} and (partition = any(${sql.param(partitions)}::text[])
      or (tags && ${sql.param(tags)}::text[] and tags <> '{}'))`);
}

/** By ID, tag, or a description or partition equal to one of `titles` (single blanks, lower case). */
export async function findNamed(
  db: Queryable,
  planId: string,
  { ids, tags, titles }: Record<'ids' | 'tags' | 'titles', string[]>,
): Promise<{ id: string; description: string; partition: string | null; tags: string[] }[]> {
  return db.rows(sql`
    select c.step_id as id, c.description, c.partition, c.tags from ${countersign}.plan_steps c
    where c.plan_id = ${planId} and c.until is null
      and (c.step_id = any(${sql.param(ids)}::text[])
        or (c.tags && ${sql.param(tags)}::text[] and c.tags <> '{}')
        or lower(btrim(regexp_replace(c.description, '\s+', ' ', 'g'))) = any(${sql.param(titles)}::text[])
        or lower(btrim(regexp_replace(c.partition, '\s+', ' ', 'g'))) = any(${sql.param(titles)}::text[]))`);
}

/** Without becoming ready, which the plan foresaw. */
export async function findChangedSince(
  tx: Queryable,
  planId: string,
  revision: number,
  ids: string[],
): Promise<Set<string>> {
  const { rows } = await tx.execute<{ step_id: string }>(sql`
    select distinct t.step_id from ${countersign}.plan_events e
    cross join lateral unnest(e.step_ids) with ordinality t(step_id, nth)
    where e.plan_id = ${planId} and e.revision > ${revision} and e.kind <> 'step_ready'
      and e.revision - e.n + t.nth > ${revision} and t.step_id = any(${sql.param(ids)}::text[])`);
  return new Set(rows.map(({ step_id }) => step_id));
}

/** The index `plan_patches_waiting` allows one. */
export const waitingPatch = (planId: SQL): SQL<string | null> => sql`(
  select w.id from ${countersign}.plan_patches w where w.plan_id = ${planId} and w.status = 'needs_approval')`;

export async function hasPatchSince(
  db: Queryable,
  planId: string,
  revision: number,
): Promise<boolean> {
  return db.hasRows(sql`
    select 1 from ${countersign}.plan_events
    where plan_id = ${planId} and revision > ${revision} and kind = 'patch_proposed' limit 1`);
}

export async function readEdgesFrom(
  tx: Queryable,
  planId: string,
  positions: number[],
): Promise<(Edge & { id: string; status: StepStatus })[]> {
  if (positions.length === 0) return [];
  return tx.rows(sql`
    select e.predecessor, e.successor, e.type, e.lag_minutes, s.step_id as id, s.status
    from ${countersign}.plan_edges e
    join ${countersign}.step_states s on s.plan_id = e.plan_id and s.position = e.successor
    where e.plan_id = ${planId} and e.predecessor = any(${sql.param(positions)}::int[])
    order by e.successor`);
}

/** All that can close a circle with new edges. Reads what lies behind `from`, not the plan. */
export async function readEdgesBetween(
  tx: Queryable,
  planId: string,
  from: number[],
  to: number[],
): Promise<(Edge & { id: string })[]> {
  if (from.length === 0 || to.length === 0) return [];
  return tx.rows(sql`
    with recursive down(position) as (
      select unnest(${sql.param(from)}::int[])
      union
      select e.successor from ${countersign}.plan_edges e join down d on d.position = e.predecessor
      where e.plan_id = ${planId}
    ),
    behind as materialized (select position from down),
    up(position) as (
      select position from behind where position = any(${sql.param(to)}::int[])
      union
      select e.predecessor from ${countersign}.plan_edges e join up u on u.position = e.successor
      join behind b on b.position = e.predecessor where e.plan_id = ${planId}
    )
    select e.predecessor, e.successor, e.type, e.lag_minutes, s.step_id as id
    from up u join ${countersign}.plan_edges e on e.plan_id = ${planId} and e.predecessor = u.position
    join up v on v.position = e.successor
    join ${countersign}.plan_steps s on s.plan_id = ${planId} and s.position = e.predecessor`);
}

/** Positions of removed steps are not reused, those of a waiting version are. */
export async function nextPosition(tx: Queryable, planId: string): Promise<number> {
  const { rows } = await tx.execute<{ next: number }>(sql`
    select 1 + greatest(
      (select coalesce(max(position), 0) from ${countersign}.plan_steps where plan_id = ${planId}),
      (select coalesce(max(position), 0) from ${countersign}.past_steps where plan_id = ${planId} and until > since)) as next`);
  return rows[0]?.next ?? 1;
}

/** The first unused number; null if steps are called by position, as are those added by an earlier build. */
export async function nextNumber(tx: Queryable, planId: string): Promise<number | null> {
  const { rows } = await tx.execute<{ next: number | null }>(sql`
    select 1 + max(coalesce(substring(label from '^[0-9]+')::int, position)) as next
    from ${countersign}.plan_steps
    where plan_id = ${planId}
      and (select label from ${countersign}.plan_steps where plan_id = ${planId} order by position limit 1) is not null`);
  return rows[0]?.next ?? null;
}

/** The row `p` of `step_states` never satisfies the edge `e`. */
const willNotBeDone = (running: boolean): SQL => sql`(p.status = 'cancelled'
  or (${running}::boolean and ((p.status = 'failed' and e.type in ('FS', 'FF'))
    or (p.status = 'skipped' and not ${isSkippedByCondition('p')}))))`;

/** They would wait forever for a step that will not be done. */
export async function findDeadEnds(
  tx: Queryable,
  planId: string,
  positions: number[],
  running: boolean,
): Promise<{ id: string; status: StepStatus; successor: string }[]> {
  if (positions.length === 0) return [];
  return tx.rows(sql`
    select p.step_id as id, p.status, s.step_id as successor
    from ${countersign}.step_states s
    join ${countersign}.plan_edges e on e.plan_id = s.plan_id and e.successor = s.position
    join ${countersign}.step_states p on p.plan_id = s.plan_id and p.position = e.predecessor
    where s.plan_id = ${planId} and s.position = any(${sql.param(positions)}::int[])
      and s.status in ('pending', 'ready', 'stale')
      and ${willNotBeDone(running)}
    order by p.position, s.position limit 100`);
}

/** A step waiting for one would wait forever. */
export async function findDeadPredecessors(
  tx: Queryable,
  planId: string,
  edges: Edge[],
  running: boolean,
): Promise<{ id: string; status: StepStatus }[]> {
  if (edges.length === 0) return [];
  return tx.rows(sql`
    select distinct p.step_id as id, p.status
    from unnest(${sql.param(edges.map(({ predecessor }) => predecessor))}::int[],
      ${sql.param(edges.map(({ type }) => type))}::text[]) e (predecessor, type)
    join ${countersign}.step_states p on p.plan_id = ${planId} and p.position = e.predecessor
    where ${willNotBeDone(running)} order by 1 limit 100`);
}

export async function readUses(
  tx: Queryable,
  planId: string,
): Promise<{ operation: string; guarded: boolean; kept: boolean }[]> {
  return tx.rows(sql`
    select c.tool || '_' || c.operation as operation, bool_or(c.guarded) as guarded,
      bool_or(s.status <> 'cancelled') as kept
    from ${countersign}.plan_steps c
    join ${countersign}.step_states s on s.plan_id = c.plan_id and s.position = c.position
    where c.plan_id = ${planId} and s.lane <> ${noLane}
    group by c.tool, c.operation order by 1`);
}

/** `ids` and their transitive predecessors that are open, or ended and waited for directly. */
export async function findEarlier(
  db: Queryable,
  planId: string,
  ids: string[],
  limit: number,
): Promise<string[]> {
  if (ids.length === 0) return [];
  return db.values(sql`
    with recursive up(position) as (
      select position from ${countersign}.plan_steps
      where plan_id = ${planId} and step_id = any(${sql.param(ids)}::text[])
      union
      select e.predecessor from up u
      join ${countersign}.step_states s on s.plan_id = ${planId} and s.position = u.position
        and s.status not in ('succeeded', 'cancelled')
      join ${countersign}.plan_edges e on e.plan_id = ${planId} and e.successor = u.position
    )
    select c.step_id from up u
    join ${countersign}.plan_steps c on c.plan_id = ${planId} and c.position = u.position
    limit ${limit}`);
}

export async function readPredecessors(
  tx: Queryable,
  planId: string,
  positions: number[],
): Promise<number[]> {
  if (positions.length === 0) return [];
  return tx.values(sql`
    select distinct predecessor as position from ${countersign}.plan_edges
    where plan_id = ${planId} and successor = any(${sql.param(positions)}::int[])`);
}
