// What running a plan costs beside planning it: kept with the plan and with the day, in one statement.
import { sql } from 'drizzle-orm';
import type { Queryable } from './database.ts';
import { readSpentSince } from './runs.ts';

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
