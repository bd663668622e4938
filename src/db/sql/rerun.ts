// Steps to rerun. Callers hold the plan's lock or preview.
import { sql } from 'drizzle-orm';
import type { StepStatus } from '#domain/plan/plan.ts';
import type { StepSelector } from '#domain/plan/step-selector.ts';
import type { Effect } from '#domain/tool.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { accounting } from '../steps/accounting.ts';
import { isMet, isSkippedByCondition } from '../steps/conditions.ts';
import { affectedBy, countEdgesFrom, positionsOf, successorsOf } from './impact.ts';

export type RerunStep = {
  id: string;
  label: string;
  position: number;
  status: StepStatus;
  tool: string;
  operation: string;
  target: string | null;
  effect: Effect;
  called: boolean;
};

export async function readForRerun(
  db: Queryable,
  planId: string,
  selector: StepSelector,
): Promise<RerunStep[]> {
  return db.rows(sql`
    with meant as materialized (select distinct position from (${positionsOf(planId, selector)}) found)
    select s.step_id as id, coalesce(c.label, s.position::text) as label, s.position, s.status,
      c.tool, c.tool || '_' || c.operation as operation, c.target, c.effect,
      s.called_at is not null or (c.effect = 'idempotent' and s.attempt > 0) or exists (
        select from ${countersign}.step_attempts a
        where a.plan_id = ${planId} and a.position = s.position and a.called_at is not null) as called
    from ${countersign}.step_states s cross join lateral (
      select c.label, c.tool, c.operation, c.target, c.effect from ${countersign}.plan_steps c
      where c.plan_id = ${planId} and c.position = s.position and c.step_id = s.step_id offset 0
    ) c
    where s.plan_id = ${planId} and s.position = any(array(select position from meant)) and s.lane <> 0
    order by s.position`);
}

export async function countAffected(
  db: Queryable,
  planId: string,
  selector: StepSelector,
): Promise<number> {
  const { rows } = await db.execute<{ n: number }>(sql`
    with recursive ${affectedBy(planId, positionsOf(planId, selector), true)}
    select count(*)::int as n from ${countersign}.step_states s
    where s.plan_id = ${planId} and s.position = any(array(select position from affected)) and s.status <> 'cancelled'`);
  return rows[0]?.n ?? 0;
}

/** Steps outside both sets that used an output of `positions`; at most a hundred. */
export async function findUsers(
  db: Queryable,
  planId: string,
  positions: number[],
  others: number[],
): Promise<{ id: string; status: StepStatus }[]> {
  return db.rows(sql`
    with again as materialized (select unnest(${sql.param(positions)}::int[]) as position),
    known as materialized (select position from again union select unnest(${sql.param(others)}::int[])),
    users as materialized (
      select successor from (${successorsOf(planId, 'again')}) e except select position from known
    )
    select s.step_id as id, s.status from ${countersign}.step_states s
    where s.plan_id = ${planId} and s.position = any(array(select successor from users))
      and (s.status in ('running', 'waiting', 'succeeded', 'failed', 'unknown') or ${isSkippedByCondition('s')})
    order by s.position limit 100`);
}

export async function findAddressed(
  tx: Queryable,
  planId: string,
  positions: number[],
): Promise<string[]> {
  return tx.values(sql`
    select f.id from ${countersign}.plan_findings f
    where f.plan_id = ${planId} and f.status in ('open', 'replanning', 'awaiting_approval') and (
      exists (select from ${countersign}.plan_steps c where c.plan_id = ${planId} and c.step_id = f.step_id
        and c.position = any(${sql.param(positions)}::int[]))
      or exists (select from ${countersign}.plan_steps c where c.plan_id = ${planId} and c.partition = f.partition
        and c.position = any(${sql.param(positions)}::int[])))`);
}

/**
 * Attempts keep counting; old output stays until the rerun. A stale step with a finding outside `addressed` stays stale for it.
 * @returns dependents that a failure had stopped
 */
export async function rerunSteps(
  tx: Queryable,
  planId: string,
  positions: number[],
  addressed: string[],
): Promise<number[]> {
  const open = sql`(select array_agg(f order by n) from unnest(s.held_by) with ordinality h(f, n)
    where f <> all(${sql.param(addressed)}::text[]))`;
  const { rows } = await tx.execute<{ stopped: number[] | null }>(sql`
    with before as materialized (
      select s.position, s.status, ${isMet('s')} as met from ${countersign}.step_states s
      where s.plan_id = ${planId} and s.position = any(${sql.param(positions)}::int[])
        and s.status in ('stale', 'succeeded', 'failed', 'skipped')
    ),
    lost as materialized (select position from before where met),
    behind as materialized (
      select distinct successor as position from (${successorsOf(planId, 'before')}) e
    ),
    moved as (
      update ${countersign}.step_states s set
        (unmet, status, error, held_by, was_status, was_error, tries, question, final_args, ended_at) = (
        select s.unmet + added,
          case when again and not kept then 'pending' when not again and s.status = 'ready' and added > 0 then 'pending' else s.status end,
          case when not again then s.error end,
          case when not again then s.held_by when kept then rest end,
          case when not again then s.was_status when kept then 'pending' end, case when not again then s.was_error end,
          case when again then 0 else s.tries end, case when again then null else s.question end,
          case when again then null else s.final_args end, case when again then null else s.ended_at end
        from (
          select *, again and cardinality(rest) < cardinality(s.held_by) is true as kept
          from (
            select s.position in (select position from before) as again, ${countEdgesFrom(planId, 'lost')} as added,
              ${open} as rest offset 0
          ) known
        ) now)
      where s.plan_id = ${planId}
        and s.position = any(array(select position from before union select position from behind))
      returning s.position, s.step_id, s.partition, s.status
    ),
    changed as (
      select position, step_id, partition, from_status, status as to_status, 'step_pending'::text as kind,
        case from_status when 'ready' then 'it waits for another step now' else 'runs again' end as detail
      from (
        select *, case
          when position in (select position from before where status = 'stale') then 'stale'
          when position in (select position from before where status = 'succeeded') then 'succeeded'
          when position in (select position from before where status = 'failed') then 'failed'
          when position in (select position from before where status = 'skipped') then 'skipped'
          when position in (select s.position from ${countersign}.step_states s where s.plan_id = ${planId} and s.status = 'ready'
            and s.position = any(array(select position from behind))) then 'ready'
          else status end as from_status
        from moved
      ) told where from_status <> status
    ),
    ${accounting(planId)}
    select (select array_agg(s.position) from ${countersign}.step_states s where s.plan_id = ${planId}
      and s.position = any(array(select position from behind)) and s.status = 'skipped' and not ${isSkippedByCondition('s')}) as stopped
    from (select 1) one left join plan on true`);
  return rows[0]?.stopped ?? [];
}
