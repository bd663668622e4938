// Records a person's decision on a step, without a lease.
import { sql } from 'drizzle-orm';
import type { StepError, StepStatus } from '#domain/plan/plan.ts';
import type { Json } from '#domain/text.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { accounting, type PlanProgress, progressOf } from '../steps/accounting.ts';
import { setError, staleOr } from '../steps/conditions.ts';
import { freeSuccessors } from '../steps/unblock.ts';

export type Verdict = {
  step_id: string;
  status: Extract<StepStatus, 'ready' | 'succeeded' | 'failed' | 'skipped'>;
  summary: string | null;
  output: Json;
  error: StepError | null;
};

/**
 * The caller holds the plan's lock. @param keepsWord a retry confirms earlier values if the plan states all @returns moved
 * steps, counters
 */
export async function settleByPerson(
  tx: Queryable,
  planId: string,
  from: StepStatus[],
  verdicts: Verdict[],
  keepsWord = false,
): Promise<{ moved: string[]; failed: number[]; progress: PlanProgress | null }> {
  const [row] = await tx.rows<
    PlanProgress & { moved: string[] | null; failed_positions: number[] | null }
  >(sql`
    with v as (
      select * from jsonb_to_recordset(${JSON.stringify(verdicts)}::jsonb)
        as v(step_id text, status text, summary text, output jsonb, error jsonb)
    ),
    before as (
      select s.position, s.status, v.status as to_status, v.summary, v.output, v.error,
        not jsonb_path_exists(c.args, '$.** ? (exists(@."$decide") || exists(@."$from"))') as fixed, c.ask_before
      from v cross join lateral (
        select position, args, ask_before from ${countersign}.plan_steps where plan_id = ${planId} and step_id = v.step_id offset 0
      ) c
      join ${countersign}.step_states s on s.plan_id = ${planId} and s.position = c.position
      where s.status = any(${sql.param(from)}::text[])
    ),
    done as (
      update ${countersign}.step_states s set status = ${staleOr('b.to_status')}, result_summary = b.summary,
        output = coalesce(nullif(b.output, 'null'::jsonb), s.output), ${setError('b.to_status', 'b.error')}, question = null,
        available_at = case when b.to_status = 'ready' then clock_timestamp() else s.available_at end,
        tries = case when b.to_status = 'ready' then 0 else s.tries end,
        final_args = case when b.status = 'waiting' and b.to_status in ('failed', 'skipped') then null when b.status = 'failed' and b.to_status = 'ready' and not ((${keepsWord}::boolean or b.ask_before) and b.fixed) then null
          else s.final_args end,
        ended_at = case when b.to_status = 'ready' then null else clock_timestamp() end
      from before b where s.plan_id = ${planId} and s.position = b.position
      returning s.position, s.step_id, s.partition, b.status as from_status, s.status as to_status, s.attempt, s.ended_at,
        s.result_summary, nullif(b.error, 'null'::jsonb) as error
    ),
    attempts as (
      update ${countersign}.step_attempts a set
        status = case when a.status = 'unknown' or d.to_status = 'ready' then a.status else d.to_status end,
        ended_at = coalesce(d.ended_at, a.ended_at, clock_timestamp()),
        result_summary = coalesce(d.result_summary, a.result_summary), error = coalesce(d.error, a.error)
      from done d where a.plan_id = ${planId} and a.position = d.position and a.attempt = d.attempt
    ),
    met as (select position from done where to_status in ('succeeded', 'skipped')),
    ${freeSuccessors(planId, ['FS', 'FF'])},
    changed as (
      select position, step_id, partition, from_status, to_status, 'step_' || to_status as kind,
        'by a person'::text as detail from done
      union all
      select position, step_id, partition, 'pending', 'ready', 'step_ready', null from freed_now
    ),
    ${accounting(planId)}
    select (select array_agg(step_id) from done) as moved,
      (select array_agg(position) from done where to_status = 'failed') as failed_positions, plan.*
    from (select 1) one left join plan on true`);
  return {
    moved: row?.moved ?? [],
    failed: row?.failed_positions ?? [],
    progress: progressOf(row),
  };
}

/** Notes who answers in place of the person asked. The caller holds the plan's lock. */
export async function markTakenOver(
  tx: Queryable,
  planId: string,
  steps: string[],
  by: string,
): Promise<void> {
  await tx.execute(sql`
    update ${countersign}.step_states
    set output = coalesce(nullif(output, 'null'::jsonb), '{}') || jsonb_build_object('taken_over_by', ${by}::text)
    where plan_id = ${planId} and step_id = any(${sql.param(steps)}::text[]) and status = 'waiting'`);
}
