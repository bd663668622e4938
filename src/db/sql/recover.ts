// Steps with an expired lease, read and then moved under the same conditions.
import { sql } from 'drizzle-orm';
import type { QueueName } from '#domain/jobs.ts';
import type { Step, StepStatus } from '#domain/plan/plan.ts';
import { aliveForMinutes } from '../backends.ts';
import type { Queryable } from '../database.ts';
import { bossSchema } from '../instance.ts';
import { countersign } from '../schema/columns.ts';
import { accounting, type PlanProgress, progressOf } from '../steps/accounting.ts';
import { stepsOf } from '../steps/blocks.ts';
import { setError, staleOr } from '../steps/conditions.ts';
import { claimableByBackend } from './lanes.ts';
import { laterOwner } from './later.ts';
import { waitingPatch } from './patch-reads.ts';

export type LostStep = Pick<
  Step,
  'position' | 'tool' | 'operation' | 'target' | 'effect' | 'attempt'
> & {
  step_id: string;
  called: boolean;
  /** Workers lost, this one included, since a person last had it run. */
  losses: number;
};

/** Job keys are plan IDs. */
const queue: QueueName = 'execute';

const lapsed = sql`s.lease_until < clock_timestamp()`;

/** The caller holds the plan's lock. Locks the steps too: a slow worker about to mark its call then finds it lost the attempt. */
export async function readLostSteps(tx: Queryable, planId: string): Promise<LostStep[]> {
  return tx.rows(sql`
    with lost as materialized (
      select s.position, s.step_id, s.attempt, s.tries, s.called_at is not null as called from ${countersign}.step_states s
      where s.plan_id = ${planId} and s.status = 'running' and s.lease_until < clock_timestamp()
        and s.position = any(array(select position from ${stepsOf(planId, ['running'], lapsed)}))
      order by s.position limit 10000 for no key update
    )
    select l.position, l.step_id, l.attempt, l.called, c.tool, c.operation, c.target, c.effect,
      1 + (select count(*)::int from (
        -- Attempts that were handed back are cancelled and no tries: they must not push losses out of what is looked at.
        select a.status from ${countersign}.step_attempts a
        where a.plan_id = ${planId} and a.position = l.position and a.attempt < l.attempt and a.status <> 'cancelled'
        order by a.attempt desc limit greatest(l.tries - 1, 0)
      ) tried where tried.status = 'lost') as losses
    from lost l join ${countersign}.plan_steps c on c.plan_id = ${planId} and c.position = l.position
    order by l.position`);
}

export type Recovery = Pick<Step, 'position' | 'attempt' | 'question' | 'error'> & {
  status: Extract<StepStatus, 'ready' | 'unknown' | 'failed' | 'cancelled'>;
  attempt_status: 'lost' | 'unknown';
};

/** Only if their leases are still expired. The caller holds the plan's lock. */
export async function settleLostSteps(
  tx: Queryable,
  planId: string,
  recoveries: Recovery[],
): Promise<{ progress: PlanProgress | null; taken: number[]; failed: number[] }> {
  const [row] = await tx.rows<
    PlanProgress & { taken: number[] | null; failed_positions: number[] | null }
  >(sql`
    with f as (
      select * from jsonb_to_recordset(${JSON.stringify(recoveries)}::jsonb)
        as f(position int, attempt int, status text, attempt_status text, question text, error jsonb)
    ),
    -- Who held it is for the record of the attempt; the step itself keeps no lease. The caller has locked these rows.
    held as materialized (
      select s.position, s.lease_owner from ${countersign}.step_states s join f using (position, attempt)
      where s.plan_id = ${planId} and s.status = 'running' and s.lease_until < clock_timestamp()
    ),
    done as (
      update ${countersign}.step_states s set status = ${staleOr('f.status')}, lease_owner = null, lease_until = null,
        question = f.question, ${setError('f.status', 'f.error')},
        available_at = case when f.status = 'ready' then clock_timestamp() else s.available_at end,
        ended_at = case when f.status = 'ready' then null else clock_timestamp() end
      from f join held using (position) where s.plan_id = ${planId} and s.position = f.position and s.attempt = f.attempt
        and s.status = 'running' and s.lease_until < clock_timestamp()
      returning s.position, s.step_id, s.partition, s.status, s.attempt, held.lease_owner, s.started_at, s.called_at,
        f.attempt_status, nullif(f.error, 'null'::jsonb) as error
    ),
    attempts as (
      insert into ${countersign}.step_attempts (plan_id, position, attempt, status, worker, started_at, called_at, ended_at,
        error)
      select ${planId}, position, attempt, attempt_status, lease_owner, started_at, called_at, clock_timestamp(), error
      from done
    ),
    changed as (
      select position, step_id, partition, 'running' as from_status, status as to_status,
        'step_' || status as kind, coalesce(error ->> 'message', 'its worker was lost') as detail from done
    ),
    ${accounting(planId)}
    select (select array_agg(position) from done) as taken,
      (select array_agg(position) from done where status = 'failed') as failed_positions, plan.*
    from (select 1) one left join plan on true`);
  return {
    progress: progressOf(row),
    taken: row?.taken ?? [],
    failed: row?.failed_positions ?? [],
  };
}

/** Approved `seconds` ago, without a waiting or live job: checking a large plan takes long. */
export async function findUnstartedPlans(
  db: Queryable,
  seconds: number,
  limit: number,
): Promise<string[]> {
  return db.values(sql`
    select p.id from ${countersign}.plans p where p.status = 'approved'
      and p.updated_at < clock_timestamp() - make_interval(secs => ${seconds})
      and not exists (select 1 from ${sql.identifier(bossSchema)}.job j where j.name = ${queue} and j.singleton_key = p.id
        and (j.state in ('created', 'retry') or j.state = 'active'
          and coalesce(j.heartbeat_on, j.started_on) > clock_timestamp() - make_interval(secs => j.heartbeat_seconds)))
    limit ${limit}`);
}

/** Why an executing plan `p` may be quiet without being stalled. Stale steps wait for a person, as their finding says. */
function quietReasons(minutes: number) {
  const since = sql`clock_timestamp() - make_interval(secs => ${minutes * 60})`;
  const heldOrLater = sql`(s.lease_until >= clock_timestamp() or s.lease_owner = ${laterOwner})`;
  return {
    paused: sql`p.paused_at is not null`,
    waits_for_person: sql`p.waiting > 0 or p.unknown > 0 or ${waitingPatch(sql`p.id`)} is not null`,
    held_by_finding: sql`p.stale > 0 and p.ready = 0`,
    between_repetitions: sql`p.open_until is not null and p.pending + p.ready + p.running + p.stale = 0 and exists (
      select 1 from ${countersign}.plan_series r
      where r.plan_id = p.id and r.expand_at is not null and r.stopped_at is null)`,
    moved_lately: sql`p.updated_at >= ${since}`,
    step_due_lately: sql`exists (select 1 from ${countersign}.step_states s where s.plan_id = p.id
      and s.queued_at > ${since})`,
    call_under_way: sql`exists (select 1 from ${stepsOf(sql`p.id`, ['running'], heldOrLater)})`,
  };
}

/** Quiet without a reason while a back end for their steps was alive. @param planId only this one, to recheck under its lock */
export async function findStalledPlans(
  db: Queryable,
  minutes: number,
  limit: number,
  planId: string | null = null,
): Promise<string[]> {
  // One negation per reason: combined, Postgres could not use anti-joins.
  const excluded = Object.values(quietReasons(minutes)).map((reason) => sql`and not (${reason})`);
  return db.values(sql`
    select p.id from ${countersign}.plans p
    where p.status = 'executing' and p.id = coalesce(${planId}, p.id) ${sql.join(excluded, sql` `)}
      and exists (select 1 from ${countersign}.backends where ${aliveForMinutes(minutes)} and ${claimableByBackend})
    limit ${limit}`);
}
