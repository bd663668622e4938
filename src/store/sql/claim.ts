// Claiming ready steps: one statement that leases them, records the attempts and counts the change.
import { sql } from 'drizzle-orm';
import type { Step } from '#contracts/plan.ts';
import type { JsonObject } from '#contracts/text.ts';
import { accounting } from '../accounting.ts';
import type { Queryable } from '../database.ts';
import { isoOf } from './iso.ts';

/** A leased step, with what is needed to run it. `attempt` is the fencing number of the lease. */
export type ClaimedStep = Pick<
  Step,
  'position' | 'description' | 'tool' | 'operation' | 'args' | 'effect' | 'guarded' | 'attempt'
> & { step_id: string; final_args: JsonObject | null };

/**
 * Leases up to `limit` ready steps by priority, then by how many dependents they unblock, then by position.
 * The caller holds the plan's lock and has seen that the plan is executing.
 */
export async function claimSteps(
  tx: Queryable,
  planId: string,
  worker: string,
  limit: number,
  leaseSeconds: number,
): Promise<ClaimedStep[]> {
  const { rows } = await tx.execute<ClaimedStep>(sql`
    with picked as (
      select s.position from countersign.plan_steps s
      where s.plan_id = ${planId} and s.status = 'ready'
        and (s.available_at is null or s.available_at <= clock_timestamp())
      order by s.priority desc, s.dependents desc, s.position limit ${limit}
    ),
    claimed as (
      update countersign.plan_steps s set status = 'running', attempt = s.attempt + 1,
        lease_owner = ${worker}, lease_until = clock_timestamp() + make_interval(secs => ${leaseSeconds}),
        started_at = clock_timestamp(), ended_at = null, error = null, result_summary = null, question = null
      from picked where s.plan_id = ${planId} and s.position = picked.position
      returning s.position, s.step_id, s.description, s.tool, s.operation, s.args, s.final_args, s.effect, s.guarded,
        s.attempt, s.partition, s.started_at, s.priority, s.dependents
    ),
    attempts as (
      insert into countersign.step_attempts (plan_id, position, attempt, status, worker, started_at)
      select ${planId}, position, attempt, 'started', ${worker}, started_at from claimed
    ),
    changed as (
      select position, step_id, partition, 'ready' as from_status, 'running' as to_status,
        'step_started' as kind, null::text as detail from claimed
    ),
    ${accounting(planId)}
    select position, step_id, description, tool, operation, args, final_args, effect, guarded, attempt
    from claimed order by priority desc, dependents desc, position`);
  return rows;
}

/** When the next of the ready steps whose time has not come can be claimed (ISO 8601 in UTC, to the microsecond); null: none waits. */
export async function readNextAvailable(tx: Queryable, planId: string): Promise<string | null> {
  const { rows } = await tx.execute<{ at: string | null }>(sql`
    select ${isoOf('min(available_at)', 'microseconds')} as at from countersign.plan_steps
    where plan_id = ${planId} and status = 'ready' and available_at > clock_timestamp()`);
  return rows[0]?.at ?? null;
}
