// Resolves stale steps once a finding that covers them is settled. Every caller holds the plan's lock.
import { sql } from 'drizzle-orm';
import { conditionNotMet } from '#domain/plan/condition.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { accounting } from '../steps/accounting.ts';
import { stepsOf } from '../steps/blocks.ts';
import { isSkippedByCondition } from '../steps/conditions.ts';
import { countEdgesFrom, successorsOf } from './impact.ts';

/** `back`: they become what they were; `left_out`: they never run. */
type Way = 'back' | 'left_out';

export type Uncovered = {
  /** Positions of steps that are not stale any more. */
  freed: number[];
  /** Those of them that had failed, and have again. */
  failed: number[];
  /** Those that another finding, settled before, has left out. */
  leftOut: number[];
};

/**
 * Removes a finding from the steps it covers, in one statement. Steps under no other open finding stop being stale; others stay
 * so and keep the decision. Running steps only lose the mark. Unbegun ones become pending, as do those a failure had stopped if
 * the plan can continue; the caller makes them ready. @param isOngoing the plan has not ended
 */
export async function uncover(
  tx: Queryable,
  planId: string,
  finding: string,
  way: Way,
  isOngoing: boolean,
): Promise<Uncovered> {
  const covers = sql`coalesce(s.error ->> 'finding' = ${finding} or s.error -> 'others' ? ${finding}, false)`;
  const isFree = sql`s.error ->> 'finding' = ${finding} and not s.error ? 'others'`;
  const was = sql.raw(`s.error #>> '{was,status}'`);
  const wasSkippedByCondition = sql`(${was} = 'skipped' and s.error #>> '{was,error,code}' = ${conditionNotMet})`;
  const isPendingAgain = sql`(${was} in ('pending', 'ready') or (${was} = 'skipped' and ${isOngoing}::boolean and not ${wasSkippedByCondition}))`;
  const status =
    way === 'left_out'
      ? sql`'cancelled'`
      : sql`case when ${isPendingAgain} then 'pending' else ${was} end`;
  const reason =
    way === 'left_out'
      ? sql`null::jsonb`
      : sql`case when not ${isPendingAgain} then nullif(s.error #> '{was,error}', 'null'::jsonb) end`;
  const endedAt =
    way === 'left_out'
      ? sql`coalesce(s.ended_at, clock_timestamp())`
      : sql`case when not ${isPendingAgain} then s.ended_at end`;
  const kept = way === 'left_out' ? sql`s.status = 'stale'` : sql`false`;
  const [row] = await tx.rows<{
    freed: number[] | null;
    failed_again: number[] | null;
    left_out: number[] | null;
  }>(sql`
    with covered as materialized (
      select s.position, s.status = 'stale' and ${isFree} as free,
        ${way === 'back'}::boolean and s.status = 'stale' and ${isFree}
          and (${was} = 'succeeded' or ${wasSkippedByCondition}) as met
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
        (status, error, ended_at) = (select
          case when covered and free and s.status = 'stale' then ${status} else s.status end,
          case
            when not covered then s.error
            when free and s.status = 'stale' then ${reason}
            when free and s.status = 'unknown' then s.error - 'finding'
            when free then null
            else (case when s.error ->> 'finding' = ${finding}
                then (s.error - 'others')
                  || jsonb_build_object('finding', s.error -> 'others' -> 0)
                  || case when s.status = 'unknown' then '{}' else jsonb_build_object('message',
                    (select left(f.message, 200) from ${countersign}.plan_findings f where f.id = s.error -> 'others' ->> 0)) end
                  || case when rest = '[]' then '{}' else jsonb_build_object('others', rest) end
                else case when rest = '[]' then s.error - 'others' else jsonb_set(s.error, '{others}', rest) end
              end) || case when ${kept} then '{"was": {"status": "cancelled", "error": null}}'::jsonb else '{}' end
          end,
          case when covered and free and s.status = 'stale' then ${endedAt} else s.ended_at end
          from (select ${covers} as covered, coalesce(${isFree}, false) as free,
            case when s.error ->> 'finding' = ${finding} then (s.error -> 'others') - 0
              else (s.error -> 'others') - ${finding}::text end as rest) now)
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

/**
 * Skips pending steps behind one that will never be done, and those behind them: they were stale when it was decided.
 */
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

/** Leaves out unbegun transitive dependents of steps left out. */
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

/** Clears all stale marks of an ended plan. */
export async function forgetCovers(tx: Queryable, planId: string): Promise<void> {
  await tx.execute(sql`
    update ${countersign}.step_states s set error = null
    where s.plan_id = ${planId} and s.error ->> 'code' = 'stale'
      and s.position = any(array(select position from ${stepsOf(planId, ['running'])}))`);
}
