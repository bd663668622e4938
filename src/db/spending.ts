// Model calls of planning: expected and actual cost (B9). A call is recorded before it is made, under one lock for all planners,
// so the total always includes calls that may still cost something.
import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm';
import type { Database, Queryable, Transaction } from './database.ts';
import { schemaName } from './instance.ts';
import { countersign } from './schema/columns.ts';
import { modelCalls, plans } from './schema.ts';

/** Who calls, and for what. */
export type CallPlace = { runId: string; turn: number; user: string; stage: string };

/**
 * US dollars of planning; a call that has not come back counts as its estimate. `day` holds everybody's planning and
 * what plans spent while running; `user` is one person's planning of the same day.
 */
export type Spent = { turn: number; session: number; user: number; day: number };

export type TokenCounts = { input_tokens: number; output_tokens: number };

/** A call of which nobody knows what it cost: under way, cut off, or made by a process that is gone. */
export type OpenCall = { stage: string; model: string; estimate_usd: number; began_at: string };

const lockName = `${schemaName} model calls`;

/** Until the transaction ends nobody else books a call of a model. */
export async function lockSpending(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${lockName}, 0))`);
}

/** What was spent in this turn, in its run, and since `dayBegan` by its user and by all. */
export async function readSpent(
  db: Queryable,
  { runId, turn, user }: Omit<CallPlace, 'stage'>,
  dayBegan: Date,
): Promise<Spent> {
  const since = sql`${dayBegan.toISOString()}::timestamptz`;
  // Decimal sums: ten calls of $0.10 are $1.00 and not a little less.
  const { rows } = await db.execute<Spent>(sql`
    with session as (
      select turn, coalesce(cost_usd, estimate_usd)::numeric as usd
      from ${countersign}.model_calls where run_id = ${runId}
    ), today as (
      select "user", coalesce(cost_usd, estimate_usd)::numeric as usd
      from ${countersign}.model_calls where began_at >= ${since}
    )
    select
      coalesce((select sum(usd) from session where turn = ${turn}), 0)::float8 as turn,
      coalesce((select sum(usd) from session), 0)::float8 as session,
      coalesce((select sum(usd) from today where "user" = ${user}), 0)::float8 as "user",
      (coalesce((select sum(usd) from today), 0)
        + coalesce((select sum(usd::numeric) from ${countersign}.spending where at >= ${since}), 0))::float8 as day`);
  return rows[0] ?? { turn: 0, session: 0, user: 0, day: 0 };
}

async function insertCall(
  tx: Transaction,
  call: CallPlace & { model: string; estimateUsd: number; at: Date },
): Promise<number> {
  const [row] = await tx
    .insert(modelCalls)
    .values({
      run_id: call.runId,
      turn: call.turn,
      user: call.user,
      model: call.model,
      stage: call.stage,
      estimate_usd: call.estimateUsd,
      began_at: call.at,
    })
    .returning({ id: modelCalls.id });
  if (row === undefined) throw new Error('insertCall: no row came back');
  return row.id;
}

/**
 * Writes down a call that is about to be made, unless `refuse` names a reason against it. Reservations come one after
 * the other, over all processes: each sees the calls of those before it. The lock is a statement of its own, because a
 * statement sees what was committed when it began. Should this process end before the call is settled, its estimate
 * keeps counting: too much is the safe side.
 * @param refuse must be pure; called with the lock held
 */
export async function reserveCall<Refusal>(
  db: Pick<Database, 'transaction'>,
  call: CallPlace & { model: string; estimateUsd: number; at: Date; dayBegan: Date },
  refuse: (spent: Spent) => Refusal | null,
): Promise<{ id: number; spent: Spent } | { refusal: Refusal; spent: Spent }> {
  return db.transaction(async (tx) => {
    await lockSpending(tx);
    const spent = await readSpent(tx, call, call.dayBegan);
    const refusal = refuse(spent);
    if (refusal !== null) return { refusal, spent };
    return { id: await insertCall(tx, call), spent };
  });
}

/** What a call did cost takes the place of its estimate. A second time changes nothing. */
export async function settleCall(
  db: Queryable,
  id: number,
  usage: TokenCounts,
  costUsd: number,
): Promise<void> {
  await db
    .update(modelCalls)
    .set({ ...usage, cost_usd: costUsd, ended_at: sql`clock_timestamp()` })
    .where(and(eq(modelCalls.id, id), isNull(modelCalls.cost_usd)));
}

/**
 * The call failed. `nothing`: it is known to have cost nothing. `unknown`: it was cut off, and servers charge for what
 * they had written by then, so its estimate keeps counting.
 */
export async function failCall(
  db: Queryable,
  id: number,
  charged: 'nothing' | 'unknown',
): Promise<void> {
  await db
    .update(modelCalls)
    .set({ ...(charged === 'nothing' ? { cost_usd: 0 } : {}), ended_at: sql`clock_timestamp()` })
    .where(and(eq(modelCalls.id, id), isNull(modelCalls.cost_usd)));
}

/** Calls of a run that count as their estimates, oldest first. */
export async function listOpenCalls(db: Queryable, runId: string): Promise<OpenCall[]> {
  const rows = await db
    .select({
      stage: modelCalls.stage,
      model: modelCalls.model,
      estimate_usd: modelCalls.estimate_usd,
      began_at: modelCalls.began_at,
    })
    .from(modelCalls)
    .where(and(eq(modelCalls.run_id, runId), isNull(modelCalls.cost_usd)))
    .orderBy(asc(modelCalls.id));
  return rows.map((row) => ({ ...row, began_at: row.began_at.toISOString() }));
}

/** Whether calls of a run are under way that began after `since`; what they cost at most is known better once they are back. */
export async function hasCallsUnderWay(
  db: Queryable,
  runId: string,
  since: Date,
): Promise<boolean> {
  const rows = await db
    .select({ id: modelCalls.id })
    .from(modelCalls)
    .where(
      and(
        eq(modelCalls.run_id, runId),
        isNull(modelCalls.ended_at),
        gt(modelCalls.began_at, since),
      ),
    )
    .limit(1);
  return rows.length > 0;
}

// What running a plan costs beside planning it: kept with the plan and with the day, in one statement.

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
        update ${countersign}.plans set cost_usd = cost_usd + ${estimateUsd}::float8 where id = ${planId} returning id, run_id
      )
      insert into ${countersign}.spending (plan_id, run_id, usd) select id, run_id, ${estimateUsd}::float8 from plan
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
      select id, plan_id, usd from ${countersign}.spending where id = ${id} for update
    ), booked as (
      update ${countersign}.spending set usd = ${usd}::float8 from before where spending.id = before.id
    )
    update ${countersign}.plans
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
        from ${countersign}.model_calls where began_at >= ${from}), 0)
      + coalesce((select sum(usd::numeric) from ${countersign}.spending where at >= ${from}), 0))::float8 as spent`);
  return rows[0]?.spent ?? 0;
}

async function readCosts(db: Queryable, planId: string, since: Date): Promise<Costs> {
  const [row] = await db.select({ cost: plans.cost_usd }).from(plans).where(eq(plans.id, planId));
  return { plan: row?.cost ?? 0, day: await readSpentSince(db, since) };
}
