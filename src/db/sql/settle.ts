// Settles steps under their fencing tokens, and frees successors.
import { type SQL, sql } from 'drizzle-orm';
import type { RaisedFinding } from '#domain/plan/finding.ts';
import type { StepError, StepStatus } from '#domain/plan/plan.ts';
import type { Json } from '#domain/text.ts';
import { prepareStatement, type Queryable, type Transaction } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { accounting, type PlanProgress, progressOf } from '../steps/accounting.ts';
import { setError, staleOr } from '../steps/conditions.ts';
import { freeSuccessors, type StartPlaceholders } from '../steps/unblock.ts';
import { allowCalls, type ClaimedStep, type ClaimTerms, claimValues, contentsOf } from './claim.ts';
import { laterOwner } from './later.ts';

export type Outcome = {
  position: number;
  attempt: number;
  /**
   * `skipped` meets successors. `ready`: retry after `retry_in_ms`, or uncalled if null. `running`: without a worker
   * (`later.ts`).
   */
  status: Extract<
    StepStatus,
    'succeeded' | 'failed' | 'waiting' | 'cancelled' | 'unknown' | 'ready' | 'skipped' | 'running'
  >;
  summary: string | null;
  output: Json;
  error: StepError | null;
  question: string | null;
  final_args: Json;
  /** Until the next try or poll. */
  retry_in_ms: number | null;
  /** Raised in the transaction that stores the outcome. */
  findings?: RaisedFinding[];
};

/** The attempt may know more than its step (unknown, in a cancelled plan). */
export type StoredOutcome = Outcome & { attempt_status: string };

export type Settled = {
  /** Positions. Missing: the lease was lost and the outcome refused. */
  taken: number[];
  failed: number[];
  started: ClaimedStep[];
  progress: PlanProgress | null;
  /** Ready now, and when the next of the later ones will be. */
  ready: number;
  nextAvailableAt: Date | null;
};

type Row = PlanProgress & {
  taken: number[] | null;
  failed_positions: number[] | null;
  started_steps: ClaimedStep[] | null;
  freed_now: number;
  next_available_at: string | null;
};

const plan = sql.placeholder('plan');
const worker = sql.placeholder('worker');

const given = sql`
  given as materialized (
    select * from jsonb_to_recordset(${sql.placeholder('outcomes')}::jsonb)
      as o(position int, attempt int, status text, attempt_status text, summary text, output jsonb, error jsonb,
        question text, final_args jsonb, retry_in_ms float8)
  )`;
const positions = sql`${sql.placeholder('positions')}::int[]`;

/** @param terms freed steps start at once if all fit */
const settleOf = (terms: StartPlaceholders | null): SQL => sql`
  with ${given},
  done as (
    update ${countersign}.step_states s set
      status = ${staleOr('o.status')},
      result_summary = o.summary, output = o.output,
      ${setError('o.status', 'o.error')}, question = o.question,
      final_args = coalesce(nullif(o.final_args, 'null'::jsonb), s.final_args),
      available_at = case when o.status in ('ready', 'running')
        then clock_timestamp() + make_interval(secs => coalesce(o.retry_in_ms, 0) / 1000) else s.available_at end,
      lease_owner = case when o.status = 'running' then ${sql.raw(`'${laterOwner}'`)} end, lease_until = null,
      ended_at = case when o.status in ('waiting', 'ready', 'running') then null else clock_timestamp() end,
      tries = case when o.status = 'ready' and o.retry_in_ms is null then s.tries - 1 else s.tries end
    from given o
    where s.plan_id = ${plan} and s.position = any(${positions}) and s.position = o.position
      and s.attempt = o.attempt and s.status = 'running' and s.lease_owner = ${worker}
    returning s.position, s.step_id, s.partition, s.status, s.attempt, s.started_at, s.called_at,
      case when o.status = 'ready' then clock_timestamp() else s.ended_at end as ended_at, s.result_summary,
      nullif(o.error, 'null'::jsonb) as error, o.attempt_status, s.status = 'ready' and o.retry_in_ms is not null as retried
  ),
  attempts as (
    insert into ${countersign}.step_attempts (plan_id, position, attempt, status, worker, started_at, called_at, ended_at,
      result_summary, error)
    select ${plan}, position, attempt, attempt_status, ${worker}, started_at, called_at, ended_at, result_summary, error
    from done where status <> 'running'
  ),
  met as (select position from done where status in ('succeeded', 'skipped')),
  ${freeSuccessors(plan, ['FS', 'FF'], terms)},
  started as (select * from freed_now where status = 'running'),
  ${terms === null ? sql`` : sql`${allowCalls('started')},`}
  changed as (
    select position, step_id, partition, 'running' as from_status, status as to_status,
      case when retried then 'step_retry' else 'step_' || status end as kind,
      coalesce(error ->> 'message', result_summary) as detail from done where status <> 'running'
    union all
    select position, step_id, partition, 'pending', status,
      case status when 'running' then 'step_started' else 'step_ready' end, null from freed_now
  ),
  ${accounting(plan)}
  select (select array_agg(position) from done) as taken,
    (select array_agg(position) from done where status = 'failed') as failed_positions,
    ${terms === null ? sql`null` : sql`(select json_agg(c) from (${contentsOf('started')}) c)`} as started_steps,
    (select count(*)::int from freed_now where status = 'ready' and available_at <= clock_timestamp()) as freed_now,
    (select min(available_at) from freed_now where available_at > clock_timestamp()) as next_available_at,
    plan.*
  from (select 1) one left join plan on true`;

const settle = prepareStatement('settle', settleOf(null));
const start: StartPlaceholders = {
  lanes: sql.placeholder('lanes'),
  room: sql.placeholder('room'),
  worker,
  seconds: sql.placeholder('seconds'),
};
const settleAndStart = prepareStatement('settle_and_start', settleOf(start));
/** Halves what Postgres parses: a missing field reads as null. Field by field for speed. */
function omitNulls(outcome: StoredOutcome) {
  return {
    position: outcome.position,
    attempt: outcome.attempt,
    status: outcome.status,
    attempt_status: outcome.attempt_status,
    summary: outcome.summary ?? undefined,
    output: outcome.output ?? undefined,
    error: outcome.error ?? undefined,
    question: outcome.question ?? undefined,
    final_args: outcome.final_args ?? undefined,
    retry_in_ms: outcome.retry_in_ms ?? undefined,
  } satisfies Record<Exclude<keyof StoredOutcome, 'findings'>, unknown>;
}

export type StartTerms = { lanes: number[]; room: number; terms: ClaimTerms };

/**
 * At most one outcome per step. The caller holds the plan's lock and releases the reservations of taken steps. @param start
 * null: freed steps are claimed later
 */
export async function settleSteps(
  tx: Transaction,
  planId: string,
  worker: string,
  outcomes: StoredOutcome[],
  start: StartTerms | null,
): Promise<Settled> {
  const values = {
    plan: planId,
    worker,
    outcomes: JSON.stringify(outcomes.map(omitNulls)),
    positions: outcomes.map(({ position }) => position),
  };
  const [row] =
    start === null
      ? await tx.run<Row>(settle, values)
      : await tx.run<Row>(settleAndStart, {
          ...claimValues(planId, start.terms),
          lanes: start.lanes,
          room: start.room,
          ...values,
        });
  return {
    taken: row?.taken ?? [],
    failed: row?.failed_positions ?? [],
    started: row?.started_steps ?? [],
    ready: row?.freed_now ?? 0,
    nextAvailableAt: row?.next_available_at ? new Date(row.next_available_at) : null,
    progress: progressOf(row),
  };
}

/** Already stored by a lost statement or a callback. Excludes attempts that recovery declared lost. */
export async function findStored(
  tx: Queryable,
  planId: string,
  outcomes: Pick<StoredOutcome, 'position' | 'attempt' | 'attempt_status'>[],
  worker: string,
): Promise<number[]> {
  const attempts = outcomes.map(({ position, attempt, attempt_status }) => ({
    position,
    attempt,
    attempt_status,
  }));
  return tx.values(sql`
    select a.position from ${countersign}.step_attempts a
    join jsonb_to_recordset(${JSON.stringify(attempts)}::jsonb) as o(position int, attempt int, attempt_status text)
      on o.position = a.position and o.attempt = a.attempt and o.attempt_status = a.status
    where a.plan_id = ${planId} and a.worker = ${worker} and a.error ->> 'code' is distinct from 'lease_lost'
    union
    select k.position from ${countersign}.step_callbacks k
    join jsonb_to_recordset(${JSON.stringify(attempts)}::jsonb) as o(position int, attempt int)
      on o.position = k.position and o.attempt = k.attempt
    where k.plan_id = ${planId} and k.result_digest is not null`);
}

/** Transitive ones. The steps began and failed: their start edges are met. The caller holds the plan's lock. */
export async function skipDependents(
  tx: Queryable,
  planId: string,
  positions: number[],
): Promise<PlanProgress | null> {
  return tx.row(sql`
    with recursive doomed(position) as (
      select e.successor from ${countersign}.plan_edges e
      where e.plan_id = ${planId} and e.predecessor = any(${sql.param(positions)}::int[])
        and e.type in ('FS', 'FF')
      union
      select e.successor from ${countersign}.plan_edges e
      join doomed d on d.position = e.predecessor
      join ${countersign}.step_states s on s.plan_id = e.plan_id and s.position = d.position
      where e.plan_id = ${planId} and s.status in ('pending', 'ready')
    ),
    before as (
      select s.position, s.status from ${countersign}.step_states s
      where s.plan_id = ${planId} and s.position = any(array(select position from doomed))
        and s.status in ('pending', 'ready')
    ),
    changed as (
      update ${countersign}.step_states s set status = 'skipped', ended_at = clock_timestamp()
      from before b where s.plan_id = ${planId} and s.position = b.position
      returning s.position, s.step_id, s.partition, b.status as from_status, s.status as to_status,
        'step_skipped'::text as kind, 'a step it depends on failed'::text as detail
    ),
    ${accounting(planId)}
    select * from plan`);
}

/** For SS and SF edges. The caller holds the plan's lock. */
export async function freeByStart(
  tx: Queryable,
  planId: string,
  positions: number[],
): Promise<PlanProgress | null> {
  return tx.row(sql`
    with met as (select unnest(${sql.param(positions)}::int[]) as position),
    ${freeSuccessors(planId, ['SS', 'SF'])},
    changed as (
      select position, step_id, partition, 'pending' as from_status, 'ready' as to_status,
        'step_ready'::text as kind, null::text as detail
      from freed_now
    ),
    ${accounting(planId)}
    select * from plan`);
}

// A late outcome settles nothing, but is shown to the person asked.

type LateWord = { position: number; attempt: number; text: string };

/** Once each. The caller holds the plan's lock. @returns steps whose questions changed */
export async function addToQuestions(
  tx: Queryable,
  planId: string,
  words: LateWord[],
): Promise<string[]> {
  return tx.values(sql`
    update ${countersign}.step_states s set question = concat_ws(' ', s.question, w.text)
    from jsonb_to_recordset(${JSON.stringify(words)}::jsonb) as w(position int, attempt int, text text)
    where s.plan_id = ${planId} and s.position = w.position and s.attempt = w.attempt and s.status = 'unknown'
      and strpos(coalesce(s.question, ''), w.text) = 0
    returning s.step_id`);
}
