// What running a plan costs beside planning it: kept with the plan and with the day, in one statement.
import { sql } from 'drizzle-orm';
import type { Queryable } from './database.ts';

/**
 * Adds what a model call for a running plan cost (US dollars) to the plan and to what was spent. Locks the plan's row
 * for this statement only. Repeated after a lost connection it may count twice; it never counts too little.
 */
export async function addPlanCost(db: Queryable, planId: string, usd: number): Promise<void> {
  if (usd <= 0) return;
  await db.execute(sql`
    with plan as (
      update countersign.plans set cost_usd = cost_usd + ${usd}::float8 where id = ${planId} returning id, run_id
    )
    insert into countersign.spending (plan_id, run_id, usd) select id, run_id, ${usd}::float8 from plan`);
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

/** US dollars spent so far: on this plan, its planning included, and by everything since then. */
export async function readCosts(
  db: Queryable,
  planId: string,
  since: Date,
): Promise<{ plan: number; day: number }> {
  const { rows } = await db.execute<{ cost: number }>(
    sql`select cost_usd::float8 as cost from countersign.plans where id = ${planId}`,
  );
  return { plan: rows[0]?.cost ?? 0, day: await readSpentSince(db, since) };
}
