// What running a plan costs beside planning it: kept with the plan and with the day, in one statement.
import { sql } from 'drizzle-orm';
import type { Database, Queryable } from './database.ts';
import { lockSpending } from './model-calls.ts';

/** US dollars spent so far: on one plan, its planning included, and by everything that day. */
export type Costs = { plan: number; day: number };

/**
 * Books what a model call for a running plan may cost, on the plan and on the day, unless `refuse` names a reason
 * against it. Under the lock that planning's calls take too: each sees what those before it may still cost. Should
 * this process end before the cost is settled, or lose its connection and book again, too much counts: the safe side.
 * @param refuse must be pure; called with the lock held
 */
export async function reservePlanCost<Refusal>(
  db: Pick<Database, 'transaction'>,
  { planId, estimateUsd, dayBegan }: { planId: string; estimateUsd: number; dayBegan: Date },
  refuse: (spent: Costs) => Refusal | null,
): Promise<{ id: number } | { refusal: Refusal }> {
  return db.transaction(async (tx) => {
    await lockSpending(tx);
    const refusal = refuse(await readCosts(tx, planId, dayBegan));
    if (refusal !== null) return { refusal };
    const { rows } = await tx.execute<{ id: number }>(sql`
      with plan as (
        update countersign.plans set cost_usd = cost_usd + ${estimateUsd}::float8 where id = ${planId} returning id, run_id
      )
      insert into countersign.spending (plan_id, run_id, usd) select id, run_id, ${estimateUsd}::float8 from plan
      returning id::float8 as id`);
    const [row] = rows;
    if (row === undefined) throw new Error(`reservePlanCost: there is no plan ${planId}`);
    return { id: row.id };
  });
}

/** What the call did cost takes the place of its estimate. A second time changes nothing. */
export async function settlePlanCost(db: Queryable, id: number, usd: number): Promise<void> {
  await db.execute(sql`
    with before as (
      select id, plan_id, usd from countersign.spending where id = ${id} for update
    ), booked as (
      update countersign.spending set usd = ${usd}::float8 from before where spending.id = before.id
    )
    update countersign.plans
    set cost_usd = (cost_usd::numeric + ${usd}::float8::numeric - before.usd::numeric)::float8
    from before where plans.id = before.plan_id`);
}

/**
 * US dollars spent since then: on planning, where a call that has not come back counts as its estimate, and on running
 * plans. Each is counted where it was written first, so nothing is counted twice.
 */
export async function readSpentSince(db: Queryable, since: Date): Promise<number> {
  const from = sql`${since.toISOString()}::timestamptz`;
  const { rows } = await db.execute<{ spent: number }>(sql`
    select (coalesce((select sum(coalesce(cost_usd, estimate_usd)::numeric)
        from countersign.model_calls where began_at >= ${from}), 0)
      + coalesce((select sum(usd::numeric) from countersign.spending where at >= ${from}), 0))::float8 as spent`);
  return rows[0]?.spent ?? 0;
}

async function readCosts(db: Queryable, planId: string, since: Date): Promise<Costs> {
  const { rows } = await db.execute<{ cost: number }>(
    sql`select cost_usd::float8 as cost from countersign.plans where id = ${planId}`,
  );
  return { plan: rows[0]?.cost ?? 0, day: await readSpentSince(db, since) };
}
