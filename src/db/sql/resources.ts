// Resource pools, changed under their rows' locks: after the plan, by name.
import { sql } from 'drizzle-orm';
import type { StepStatus } from '#domain/plan/plan.ts';
import type { ResourcePool } from '#domain/settings.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { stepsOf } from '../steps/blocks.ts';

/** A queue position unchecked for this long is ignored. */
const waitLivesSeconds = 30;

/** Free now, without headroom. */
export type PoolState = { name: string; free: number; limit: number };
export type PoolUse = {
  name: string;
  capacity: number;
  headroom: number;
  in_use: number;
  waiting: string[];
};
/** A step that a pool could not serve when its turn came. */
export type ResourceWait = {
  pool: string;
  plan_id: string;
  position: number;
  amount: number;
  waited_ms: number;
};
export type Reservation = { position: number; pool: string; amount: number };

export async function storePools(
  db: Queryable,
  pools: Record<string, ResourcePool>,
): Promise<void> {
  const rows = Object.entries(pools).map(([name, pool]) => ({ name, ...pool }));
  await db.execute(sql`
    insert into ${countersign}.resource_pools (name, capacity, headroom)
    select name, capacity, headroom from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as p(name text, capacity numeric, headroom numeric) order by name
    on conflict (name) do update set capacity = excluded.capacity, headroom = excluded.headroom`);
}

export async function lockPools(tx: Queryable, names: string[]): Promise<PoolState[]> {
  return tx.rows(sql`
    select name, (capacity - headroom - in_use)::float8 as free, (capacity - headroom)::float8 as limit
    from ${countersign}.resource_pools
    where name = any(${sql.param(names)}::text[]) order by name for no key update`);
}

export async function readPools(db: Queryable): Promise<PoolUse[]> {
  return db.rows(sql`
    select p.name, p.capacity::float8 as capacity, p.headroom::float8 as headroom, p.in_use::float8 as in_use,
      array(select w.plan_id from ${countersign}.resource_waits w where w.pool = p.name
        group by w.plan_id order by min(w.since)) as waiting
    from ${countersign}.resource_pools p order by p.name`);
}

/** Runnable ones, longest first. A step that exceeds a lowered capacity blocks no one. */
export async function readWaits(tx: Queryable, pools: string[]): Promise<ResourceWait[]> {
  return tx.rows(sql`
    select w.pool, w.plan_id, w.position, w.amount::float8 as amount,
      (extract(epoch from clock_timestamp() - w.since) * 1000)::float8 as waited_ms
    from ${countersign}.resource_waits w
    join ${countersign}.step_states s on s.plan_id = w.plan_id and s.position = w.position and s.status = 'ready'
    join ${countersign}.plans p on p.id = w.plan_id and p.status = 'executing' and p.paused_at is null
    where w.pool = any(${sql.param(pools)}::text[])
      and w.touched_at > clock_timestamp() - make_interval(secs => ${waitLivesSeconds})
      and not exists (select 1 from ${countersign}.resource_waits x join ${countersign}.resource_pools o on o.name = x.pool
        where x.plan_id = w.plan_id and x.position = w.position and x.amount > o.capacity - o.headroom)
    order by w.since, w.plan_id, w.position`);
}

/** Also forgets steps whose turn has come. The caller holds the plan's and the pools' locks. */
export async function storeWaits(
  tx: Queryable,
  planId: string,
  waits: Reservation[],
  served: number[],
): Promise<void> {
  if (served.length > 0) {
    await tx.execute(sql`delete from ${countersign}.resource_waits
      where plan_id = ${planId} and position = any(${sql.param(served)}::int[])`);
  }
  if (waits.length === 0) return;
  await tx.execute(sql`
    insert into ${countersign}.resource_waits (pool, plan_id, position, amount)
    select pool, ${planId}, position, amount from jsonb_to_recordset(${JSON.stringify(waits)}::jsonb)
      as w(pool text, position int, amount numeric)
    on conflict (pool, plan_id, position) do update set touched_at = excluded.touched_at`);
}

/** The caller holds the pools' locks and has seen that it fits. */
export async function reserve(
  tx: Queryable,
  planId: string,
  reservations: Reservation[],
): Promise<void> {
  if (reservations.length === 0) return;
  await tx.execute(sql`
    with held as (
      insert into ${countersign}.reservations (plan_id, position, pool, amount)
      select ${planId}, position, pool, amount from jsonb_to_recordset(${JSON.stringify(reservations)}::jsonb)
        as r(position int, pool text, amount numeric)
      returning pool, amount
    )
    update ${countersign}.resource_pools p set in_use = p.in_use + h.amount
    from (select pool, sum(amount) as amount from held group by pool) h where p.name = h.pool`);
}

/** The caller holds the plan's lock. @returns pools with something released */
export async function releaseReservations(
  tx: Queryable,
  planId: string,
  pools: string[],
  positions: number[],
): Promise<string[]> {
  if (positions.length === 0) return [];
  await lockPools(tx, pools);
  return tx.values(sql`
    with gone as (
      delete from ${countersign}.reservations
      where plan_id = ${planId} and position = any(${sql.param(positions)}::int[]) returning pool, amount
    )
    update ${countersign}.resource_pools p set in_use = p.in_use - g.amount
    from (select pool, sum(amount) as amount from gone group by pool) g where p.name = g.pool returning p.name`);
}

export async function findWaitingPlans(
  tx: Queryable,
  pools: string[],
  planId: string,
  limit: number,
): Promise<string[]> {
  return tx.values(sql`
    select plan_id from ${countersign}.resource_waits
    where pool = any(${sql.param(pools)}::text[]) and plan_id <> ${planId}
    group by plan_id order by min(since) limit ${limit}`);
}

/** Held by steps that don't run, which is a defect. @param planId only this plan's, to recheck under its lock */
export async function findOrphanedReservations(
  db: Queryable,
  limit: number,
  planId: string | null = null,
): Promise<{ plan_id: string; position: number; pool: string }[]> {
  return db.rows(sql`
    select r.plan_id, r.position, r.pool from ${countersign}.reservations r
    where r.plan_id = coalesce(${planId}, r.plan_id) and not exists (
      select 1 from ${countersign}.step_states s
      where s.plan_id = r.plan_id and s.position = r.position and s.status = 'running')
    limit ${limit}`);
}

/** For steps cancelled, paused or ended meanwhile. */
export async function forgetOldWaits(db: Queryable): Promise<void> {
  await db.execute(sql`
    delete from ${countersign}.resource_waits w where not exists (
      select 1 from ${countersign}.step_states s where s.plan_id = w.plan_id and s.position = w.position
        and s.status = 'ready')`);
}

/** Needs more of a pool than can ever be free. */
export type ExcessStep = { step_id: string; pool: string; amount: number; limit: number };

const excessLimit = 1000;

/** @param ready ready steps; otherwise unbegun ones */
export async function readExcessSteps(
  db: Queryable,
  planId: string,
  lanes: number[],
  ready: boolean,
): Promise<ExcessStep[]> {
  const statuses: StepStatus[] = ready ? ['ready'] : ['pending', 'ready'];
  const served = sql`s.lane = any(${sql.param(lanes)}::int[])`;
  return db.rows(sql`
    select s.step_id, p.name as pool, r.value::float8 as amount, (p.capacity - p.headroom)::float8 as limit
    from (
      select plan_id, position, step_id from ${stepsOf(planId, statuses, served)}
      order by position limit ${excessLimit}
    ) s
    join ${countersign}.plan_steps c on c.plan_id = s.plan_id and c.position = s.position
    cross join lateral jsonb_each_text(c.resources) r
    join ${countersign}.resource_pools p on p.name = r.key
    where r.value::numeric > p.capacity - p.headroom order by s.position`);
}
