// Settling steps: outcomes are recorded under their fencing numbers, successors are freed, all of it counted in one statement.
import { sql } from 'drizzle-orm';
import type { StepError, StepStatus } from '#contracts/plan.ts';
import type { Json } from '#contracts/text.ts';
import { accounting } from '../accounting.ts';
import { type PlanProgress, progressOf } from '../change-steps.ts';
import type { Queryable } from '../database.ts';
import { freeSuccessors } from './unblock.ts';

/** How one attempt ended. */
export type Outcome = {
  position: number;
  attempt: number;
  /** `ready`: handed back, nothing was called. */
  status: Extract<
    StepStatus,
    'succeeded' | 'failed' | 'waiting' | 'cancelled' | 'unknown' | 'ready'
  >;
  summary: string | null;
  output: Json;
  error: StepError | null;
  question: string | null;
  final_args: Json;
};

/** What is stored: the attempt may know more than its step (unknown, in a plan that was cancelled). */
export type StoredOutcome = Outcome & { attempt_status: string };

export type Settled = {
  /** Positions whose outcome was taken. Missing: the lease was lost and the outcome was refused. */
  taken: number[];
  failed: number[];
  progress: PlanProgress | null;
  /** Successors that are ready now, and when the next of the later ones will be. */
  ready: number;
  nextAvailableAt: Date | null;
};

type Row = PlanProgress & {
  taken: number[] | null;
  failed_positions: number[] | null;
  freed_now: number;
  next_available_at: string | null;
};

/** Records `outcomes` of `worker`'s leases. The caller holds the plan's lock. */
export async function settleSteps(
  tx: Queryable,
  planId: string,
  worker: string,
  outcomes: StoredOutcome[],
): Promise<Settled> {
  const { rows } = await tx.execute<Row>(sql`
    with o as (
      select * from jsonb_to_recordset(${JSON.stringify(outcomes)}::jsonb) as o(position int, attempt int, status text,
        attempt_status text, summary text, output jsonb, error jsonb, question text, final_args jsonb)
    ),
    done as (
      update countersign.plan_steps s set status = o.status, result_summary = o.summary, output = o.output,
        error = nullif(o.error, 'null'::jsonb), question = o.question,
        final_args = coalesce(nullif(o.final_args, 'null'::jsonb), s.final_args),
        ended_at = case when o.status in ('waiting', 'ready') then null else clock_timestamp() end,
        lease_owner = null, lease_until = null
      from o where s.plan_id = ${planId} and s.position = o.position and s.attempt = o.attempt
        and s.lease_owner = ${worker} and s.status = 'running'
      returning s.position, s.step_id, s.partition, s.status, s.attempt, s.ended_at, s.result_summary, s.error,
        o.attempt_status
    ),
    attempts as (
      update countersign.step_attempts a set status = d.attempt_status,
        ended_at = case when d.status = 'ready' then clock_timestamp() else d.ended_at end,
        result_summary = d.result_summary, error = d.error
      from done d where a.plan_id = ${planId} and a.position = d.position and a.attempt = d.attempt
    ),
    met as (select position from done where status = 'succeeded'),
    ${freeSuccessors(planId, ['FS', 'FF'])},
    changed as (
      select position, step_id, partition, 'running' as from_status, status as to_status,
        'step_' || status as kind, coalesce(error ->> 'message', result_summary) as detail from done
      union all
      select position, step_id, partition, from_status, to_status, 'step_ready', null from freed
      where from_status <> to_status
    ),
    ${accounting(planId)}
    select (select array_agg(position) from done) as taken,
      (select array_agg(position) from done where status = 'failed') as failed_positions,
      (select count(*)::int from freed where from_status <> to_status
        and (available_at is null or available_at <= clock_timestamp())) as freed_now,
      (select min(available_at) from freed where from_status <> to_status and available_at > clock_timestamp())
        as next_available_at,
      plan.*
    from (select 1) one left join plan on true`);
  const [row] = rows;
  return {
    taken: row?.taken ?? [],
    failed: row?.failed_positions ?? [],
    ready: row?.freed_now ?? 0,
    nextAvailableAt: row?.next_available_at ? new Date(row.next_available_at) : null,
    progress: progressOf(row),
  };
}

/** Those of `outcomes` that stand already: they were stored by a statement whose answer got lost. */
export async function findStanding(
  tx: Queryable,
  planId: string,
  outcomes: Outcome[],
): Promise<number[]> {
  const { rows } = await tx.execute<{ position: number }>(sql`
    select s.position from countersign.plan_steps s
    join jsonb_to_recordset(${JSON.stringify(outcomes)}::jsonb) as o(position int, attempt int, status text)
      using (position, attempt, status)
    where s.plan_id = ${planId}`);
  return rows.map(({ position }) => position);
}

/**
 * Skips every pending step that depends, however far, on one of `positions`, which have begun and failed: their start
 * edges are met and carry no failure on. The caller holds the plan's lock.
 */
export async function skipDependents(
  tx: Queryable,
  planId: string,
  positions: number[],
): Promise<PlanProgress | null> {
  const { rows } = await tx.execute<PlanProgress>(sql`
    with recursive doomed(position) as (
      select e.successor from countersign.plan_edges e
      where e.plan_id = ${planId} and e.predecessor = any(${sql.param(positions)}::int[])
        and e.type in ('FS', 'FF')
      union
      select e.successor from countersign.plan_edges e
      join doomed d on d.position = e.predecessor
      join countersign.plan_steps s on s.plan_id = e.plan_id and s.position = d.position
      where e.plan_id = ${planId} and s.status in ('pending', 'ready')
    ),
    before as (
      select s.position, s.status from countersign.plan_steps s join doomed using (position)
      where s.plan_id = ${planId} and s.status in ('pending', 'ready')
    ),
    changed as (
      update countersign.plan_steps s set status = 'skipped', ended_at = clock_timestamp()
      from before b where s.plan_id = ${planId} and s.position = b.position
      returning s.position, s.step_id, s.partition, b.status as from_status, s.status as to_status,
        'step_skipped'::text as kind, 'a step it depends on failed'::text as detail
    ),
    ${accounting(planId)}
    select * from plan`);
  return rows[0] ?? null;
}

/** Frees successors of steps that have just started (SS and SF edges). The caller holds the plan's lock. */
export async function freeByStart(
  tx: Queryable,
  planId: string,
  positions: number[],
): Promise<PlanProgress | null> {
  const { rows } = await tx.execute<PlanProgress>(sql`
    with met as (select unnest(${sql.param(positions)}::int[]) as position),
    ${freeSuccessors(planId, ['SS', 'SF'])},
    changed as (
      select position, step_id, partition, from_status, to_status, 'step_ready'::text as kind, null::text as detail
      from freed where from_status <> to_status
    ),
    ${accounting(planId)}
    select * from plan`);
  return rows[0] ?? null;
}
