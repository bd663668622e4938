// Blockers of a plan, at constant cost.
import { sql } from 'drizzle-orm';
import { maxCounted } from '#domain/plan/blockage.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';

export async function countSteps(
  db: Queryable,
  planId: string,
  lanes: number[],
  claimable: boolean,
): Promise<{ step_ids: string[]; count: number }> {
  const condition = claimable ? sql`queued_at <= clock_timestamp()` : sql`status <> 'cancelled'`;
  const { rows } = await db.execute<{ step_ids: string[] | null; count: number }>(sql`
    select (array_agg(step_id order by position))[1:3] as step_ids, count(*)::int as count from (
      select step_id, position from ${countersign}.step_states
      where plan_id = ${planId} and lane = any(${sql.param(lanes)}::int[]) and ${condition} limit ${maxCounted + 1}
    ) s`);
  return { step_ids: rows[0]?.step_ids ?? [], count: rows[0]?.count ?? 0 };
}

export type LongWait = {
  step_id: string;
  pool: string;
  amount: number;
  in_use: number;
  /** Units that may be given out. */
  limit: number;
  holders: string[];
};

/** Waiting for `seconds`, longest first, at most five. */
export async function readLongWaits(
  db: Queryable,
  planId: string,
  seconds: number,
): Promise<LongWait[]> {
  return db.rows(sql`
    select s.step_id, w.pool, w.amount::float8 as amount, p.in_use::float8 as in_use,
      (p.capacity - p.headroom)::float8 as limit,
      array(select r.plan_id from ${countersign}.reservations r where r.pool = w.pool
        group by r.plan_id order by sum(r.amount) desc limit 4) as holders
    from ${countersign}.resource_waits w
    join ${countersign}.resource_pools p on p.name = w.pool
    join ${countersign}.step_states s on s.plan_id = w.plan_id and s.position = w.position and s.status = 'ready'
    where w.plan_id = ${planId} and w.since <= clock_timestamp() - make_interval(secs => ${seconds})
    order by w.since, w.position, w.pool limit 5`);
}
