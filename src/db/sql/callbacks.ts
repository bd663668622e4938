// Addresses for results of work that continues after its call, per attempt.
import { hash } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Step } from '#domain/plan/plan.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import type { Lease } from './leases.ts';

const hashOf = (token: string) => hash('sha256', token, 'hex');

/** Idempotent. @param seconds valid since the attempt began @returns false if the attempt is no longer this worker's */
export async function storeCallback(
  db: Queryable,
  token: string,
  { plan_id, position, attempt }: Lease,
  worker: string,
  seconds: number,
): Promise<boolean> {
  const { rows } = await db.execute(sql`
    insert into ${countersign}.step_callbacks as k (token_hash, plan_id, position, attempt, expires_at)
    select ${hashOf(token)}, s.plan_id, s.position, s.attempt, s.started_at + make_interval(secs => ${seconds})
    from ${countersign}.step_states s
    where s.plan_id = ${plan_id} and s.position = ${position} and s.attempt = ${attempt} and s.status = 'running'
      and s.lease_owner = ${worker}
    on conflict (token_hash) do update set expires_at = k.expires_at
    returning 1`);
  return rows.length === 1;
}

export type Callback = Lease &
  Pick<Step, 'tool' | 'operation'> & {
    step_id: string;
    /** The attempt is its step's latest and runs, perhaps without a worker. */
    running: boolean;
    /** A person is asked about the attempt's outcome. */
    unknown: boolean;
    expired: boolean;
    lease_owner: string | null;
    question: string | null;
    result_digest: string | null;
  };

/** Null also if its plan or step is gone. */
export async function findCallback(db: Queryable, token: string): Promise<Callback | null> {
  return db.row(sql`
    select k.plan_id, k.position, k.attempt, k.result_digest, k.expires_at <= clock_timestamp() as expired,
      c.step_id, c.tool, c.operation, s.lease_owner, s.question,
      s.attempt = k.attempt and s.status = 'running' as running, s.attempt = k.attempt and s.status = 'unknown' as unknown
    from ${countersign}.step_callbacks k
    join ${countersign}.plan_steps c on c.plan_id = k.plan_id and c.position = k.position
    join ${countersign}.step_states s on s.plan_id = k.plan_id and s.position = k.position
    where k.token_hash = ${hashOf(token)}`);
}

/** In the transaction of the result that settled the attempt. */
export async function closeCallback(tx: Queryable, token: string, digest: string): Promise<void> {
  await tx.execute(sql`
    update ${countersign}.step_callbacks set result_digest = ${digest} where token_hash = ${hashOf(token)}`);
}
