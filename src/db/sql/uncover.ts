// Frees stale steps of a settled finding. Callers hold the plan's lock.
import { sql } from 'drizzle-orm';
import { conditionNotMet } from '#domain/plan/condition.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { accounting } from '../steps/accounting.ts';
import { stepsOf } from '../steps/blocks.ts';
import { isSkippedByCondition } from '../steps/conditions.ts';
import { countEdgesFrom, successorsOf } from './impact.ts';

/** `back`: as before; `left_out`: never run. */
type Way = 'back' | 'left_out';

export type Uncovered = {
  freed: number[];
  /** Had failed, and have again. */
  failed: number[];
  /** Left out by another finding, settled before. */
  leftOut: number[];
};

/**
 * Steps under another open finding stay stale and keep the decision; running ones only lose the mark. Unbegun ones become
 * pending, as do those a failure had stopped if the plan `isOngoing`; the caller skips or readies them.
 */
export async function uncover(
  tx: Queryable,
  planId: string,
  finding: string,
  way: Way,
  isOngoing: boolean,
): Promise<Uncovered> {
  const covers = sql`coalesce(${finding} = any(s.held_by), false)`;
  const isFree = sql`s.held_by = array[${finding}::text]`;
  const wasSkippedByCondition = sql`(s.was_status = 'skipped' and coalesce(s.was_error ->> 'code', '') = ${conditionNotMet})`;
  const isPendingAgain = sql`(s.was_status in ('pending', 'ready')
    or (s.was_status = 'skipped' and ${isOngoing}::boolean and not ${wasSkippedByCondition}))`;
  const isLeftOut = sql`${way === 'left_out'}::boolean`;
  const [row] = await tx.rows<{
    freed: number[] | null;
    failed_again: number[] | null;
    left_out: number[] | null;
  }>(sql`
    with covered as materialized (
      select s.position, s.status = 'stale' and ${isFree} as free,
        not ${isLeftOut} and s.status = 'stale' and ${isFree}
          and (s.was_status = 'succeeded' or ${wasSkippedByCondition}) as met
      from ${stepsOf(planId, ['stale', 'running', 'unknown'], covers)}
    ),
    freed as materialized (select position from covered where free),
    back as materialized (select position from covered where met),
    touched as materialized (
      select position from covered
      union
      ${successorsOf(planId, 'back')}
    ),
    moved as (
      update ${countersign}.step_states s set
        unmet = s.unmet - ${countEdgesFrom(planId, 'back')},
        (status, error, ended_at, held_by, was_status, was_error) = (select
          case when not back then s.status when ${isLeftOut} then 'cancelled' when again then 'pending' else s.was_status end,
          case when not back then case when free and s.status = 'running' then null else s.error end
            when not ${isLeftOut} and not again then s.was_error end,
          case when not back then s.ended_at when ${isLeftOut} then coalesce(s.ended_at, clock_timestamp())
            when not again then s.ended_at end,
          case when covered then nullif(array_remove(s.held_by, ${finding}::text), '{}') else s.held_by end,
          case when back then null when marked then 'cancelled' else s.was_status end,
          case when not back and not marked then s.was_error end
          from (select *, free and s.status = 'stale' as back, covered and ${isLeftOut} and s.status = 'stale' as marked
            from (select ${covers} as covered, coalesce(${isFree}, false) as free, coalesce(${isPendingAgain}, false) as again offset 0) known) now)
      where s.plan_id = ${planId} and s.position = any(array(select position from touched))
      returning s.position, s.step_id, s.partition, s.status
    ),
    changed as (
      select position, step_id, partition, 'stale' as from_status, status as to_status,
        case status when 'cancelled' then 'step_left_out' else 'step_' || status end as kind, ${`after ${finding}`}::text as detail
      from moved where position in (select position from freed)
    ),
    ${accounting(planId)}
    select (select array_agg(position) from freed) as freed,
      (select array_agg(position) from changed where to_status = 'failed') as failed_again,
      (select array_agg(position) from changed where to_status = 'cancelled') as left_out
    from (select 1) one left join plan on true`);
  return {
    freed: row?.freed ?? [],
    failed: row?.failed_again ?? [],
    leftOut: row?.left_out ?? [],
  };
}

/** Pending steps behind one that will never be done: they were stale when it was decided. */
export async function skipDeadEnds(
  tx: Queryable,
  planId: string,
  positions: number[],
): Promise<void> {
  await tx.execute(sql`
    with recursive dead(position) as (
      select s.position from ${countersign}.step_states s
      cross join lateral (
        select 1 from ${countersign}.plan_edges e
        join ${countersign}.step_states p on p.plan_id = ${planId} and p.position = e.predecessor
        where e.plan_id = ${planId} and e.successor = s.position and (p.status = 'cancelled'
          or (p.status = 'failed' and e.type in ('FS', 'FF'))
          or (p.status = 'skipped' and not ${isSkippedByCondition('p')}))
        limit 1
      ) behind
      where s.plan_id = ${planId} and s.position = any(${sql.param(positions)}::int[]) and s.status = 'pending'
      union
      select e.successor from dead d cross join lateral (
        select e.successor from ${countersign}.plan_edges e
        join ${countersign}.step_states s on s.plan_id = ${planId} and s.position = e.successor and s.status = 'pending'
        where e.plan_id = ${planId} and e.predecessor = d.position offset 0
      ) e
    ),
    changed as (
      update ${countersign}.step_states s set status = 'skipped', ended_at = clock_timestamp()
      where s.plan_id = ${planId} and s.position = any(array(select position from dead)) and s.status = 'pending'
      returning s.position, s.step_id, s.partition, 'pending' as from_status, s.status as to_status,
        'step_skipped'::text as kind, 'a step it depends on will not be done'::text as detail
    ),
    ${accounting(planId)}
    select from plan`);
}

export async function leaveOutBehind(
  tx: Queryable,
  planId: string,
  positions: number[],
): Promise<void> {
  const behind = (from: ReturnType<typeof sql>) => sql`
    select e.successor from ${from} f cross join lateral (
      select e.successor from ${countersign}.plan_edges e
      join ${countersign}.step_states s on s.plan_id = ${planId} and s.position = e.successor and s.status in ('pending', 'ready')
      where e.plan_id = ${planId} and e.predecessor = f.position offset 0
    ) e`;
  await tx.execute(sql`
    with recursive sources as materialized (select unnest(${sql.param(positions)}::int[]) as position),
    gone(position) as (${behind(sql`sources`)} union ${behind(sql`gone`)}),
    before as materialized (
      select s.position, s.status from ${countersign}.step_states s
      where s.plan_id = ${planId} and s.position = any(array(select position from gone))
    ),
    readied as materialized (select position from before where status = 'ready'),
    changed as (
      update ${countersign}.step_states s set status = 'cancelled', ended_at = clock_timestamp()
      where s.plan_id = ${planId} and s.position = any(array(select position from before))
      returning s.position, s.step_id, s.partition,
        case when s.position in (select position from readied) then 'ready' else 'pending' end as from_status,
        s.status as to_status, 'step_left_out'::text as kind, 'a step it depends on was left out'::text as detail
    ),
    ${accounting(planId)}
    select from plan`);
}

export async function forgetCovers(tx: Queryable, planId: string): Promise<void> {
  await tx.execute(sql`
    update ${countersign}.step_states s set error = null, held_by = null
    where s.plan_id = ${planId} and s.held_by is not null
      and s.position = any(array(select position from ${stepsOf(planId, ['running'])}))`);
}
