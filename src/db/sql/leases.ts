// Leases: renewed, marked before calls, found once expired.
import { sql } from 'drizzle-orm';
import type { PlanStatus } from '#domain/plan/plan.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { ofStatus } from '../steps/blocks.ts';

export type Lease = { plan_id: string; position: number; attempt: number };

export type RenewedLease = Lease & { plan_status: PlanStatus };

/** Missing from the answer: lost. */
export async function renewLeases(
  db: Queryable,
  worker: string,
  leases: Lease[],
  leaseSeconds: number,
): Promise<RenewedLease[]> {
  return db.rows(sql`
    update ${countersign}.step_states s set lease_until = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    from jsonb_to_recordset(${JSON.stringify(leases)}::jsonb) as l(plan_id text, position int, attempt int),
      ${countersign}.plans p
    where s.plan_id = l.plan_id and s.position = l.position and s.attempt = l.attempt
      and s.lease_owner = ${worker} and s.status = 'running' and p.id = l.plan_id
    returning s.plan_id, s.position, s.attempt, p.status as plan_status`);
}

/**
 * Marks attempts right before their calls and renews their leases. Those missing from the answer must not be called. Can be
 * repeated after a lost connection; the last answer counts.
 */
export async function markCalling(
  db: Queryable,
  worker: string,
  leases: Lease[],
  leaseSeconds: number,
): Promise<Lease[]> {
  return db.rows(sql`
    update ${countersign}.step_states s set called_at = coalesce(s.called_at, clock_timestamp()),
      lease_until = clock_timestamp() + make_interval(secs => ${leaseSeconds})
    from jsonb_to_recordset(${JSON.stringify(leases)}::jsonb) as l(plan_id text, position int, attempt int),
      ${countersign}.plans p
    where s.plan_id = l.plan_id and s.position = l.position and s.attempt = l.attempt
      and s.lease_owner = ${worker} and s.status = 'running' and s.lease_until > clock_timestamp()
      and p.id = l.plan_id and p.status = 'executing' and p.paused_at is null
    returning s.plan_id, s.position, s.attempt`);
}

export async function findPlansWithLostLeases(db: Queryable, limit: number): Promise<string[]> {
  return db.values(sql`
    select distinct b.plan_id from ${countersign}.step_blocks b cross join lateral (
      select 1 from (select 1) one join ${ofStatus(['running'], sql`s.lease_until < clock_timestamp()`)} on true limit 1
    ) lost
    where b.has_running limit ${limit}`);
}
