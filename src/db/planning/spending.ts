// Model calls and their expected and actual cost.
// Recorded before they are made, under one global lock, so totals include calls that may still cost something.
import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import type { Spent } from '#domain/budget.ts';
import type { Database, Queryable, Transaction } from '../database.ts';
import { schemaName } from '../instance.ts';
import { countersign } from '../schema/columns.ts';
import { modelCalls, plans, planVersions, runs } from '../schema.ts';

/** A run's turn that `user` requested, or a running plan. */
export type Payer = { runId: string; turn: number; user: string } | { planId: string };

/** `stage`: of planning, or the kind of a running plan's call. */
export type ModelCall = { model: string; stage: string };

/** US dollars by ceiling; open calls count as estimates. `settled` excludes calls under way. `planLimit`: the paying plan's own. */
export type Spending = { spent: Spent; settled: Spent; planLimit: number | undefined };

export type TokenCounts = { input_tokens: number; output_tokens: number };

/** Its cost is unknown: under way, cut off, or its process is gone. */
export type OpenCall = { stage: string; model: string; estimate_usd: number; began_at: string };

const lockName = `${schemaName} model calls`;
/** The process of a longer call has ended. */
const underWayMs = 120_000;

async function lockSpending(tx: Transaction): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${lockName}, 0))`);
}

/** `plan.usd`: the plan's cost so far, including planning. `limit`: its own. */
type Account = {
  runId: string;
  turn: number;
  user: string;
  tenant: string | null;
  plan: { id: string; usd: number; limit: number | undefined } | null;
};

const planLimit = sql<number | null>`(${planVersions.context} ->> 'budget_usd')::float8`;

const ofVersion = and(eq(planVersions.plan_id, plans.id), eq(planVersions.version, plans.version));

/** US dollars. */
export async function readPlanLimit(db: Queryable, id: string): Promise<number | undefined> {
  const [row] = await db
    .select({ limit: planLimit })
    .from(plans)
    .innerJoin(planVersions, ofVersion)
    .where(eq(plans.id, id));
  return row?.limit ?? undefined;
}

async function findAccount(db: Queryable, payer: Payer): Promise<Account> {
  if ('runId' in payer) {
    const [run] = await db
      .select({ tenant: runs.tenant })
      .from(runs)
      .where(eq(runs.id, payer.runId));
    return { ...payer, tenant: run?.tenant ?? null, plan: null };
  }
  const { planId: id } = payer;
  const [plan] = await db
    .select({
      ...{ runId: plans.run_id, user: plans.requester },
      ...{ tenant: plans.tenant, usd: plans.cost_usd, limit: planLimit },
    })
    .from(plans)
    .innerJoin(planVersions, ofVersion)
    .where(eq(plans.id, id));
  if (plan === undefined) throw new Error(`findAccount: there is no plan ${id}`);
  const { usd, runId, limit, ...rest } = plan;
  const paying = { id, usd, limit: limit ?? undefined };
  return { ...rest, runId: runId ?? id, turn: 0, plan: paying };
}

type Times = { at: Date; dayBegan: Date };

async function readSpendingOf(
  db: Queryable,
  { runId, turn, user, tenant, plan }: Account,
  { at, dayBegan }: Times,
): Promise<Spending> {
  const since = sql`${dayBegan.toISOString()}::timestamptz`;
  const underWaySince = sql`${new Date(at.getTime() - underWayMs).toISOString()}::timestamptz`;
  const ofRun = sql`run_id = ${runId} and plan_id is null`;
  const counted = {
    turn: plan === null ? sql`${ofRun} and turn = ${turn}` : sql`false`,
    session: plan === null ? ofRun : sql`plan_id = ${plan.id}`,
    plan: plan === null ? sql`false` : sql`plan_id = ${plan.id}`,
    person: sql`today and "user" = ${user}`,
    organisation: sql`today and tenant = ${tenant}`,
    day: sql`today`,
  };
  // Decimal sums: ten calls of $0.10 are exactly $1.00.
  const sums = Object.entries(counted).map(
    ([name, where]) =>
      sql`coalesce(sum(usd) filter (where ${where}), 0)::float8 as ${sql.raw(name)},
      coalesce(sum(usd) filter (where ${where} and under_way), 0)::float8 as ${sql.raw(`${name}_under_way`)}`,
  );
  const [row] = await db.rows<Spent & Record<`${keyof Spent}_under_way`, number>>(sql`
    with calls as (
      select run_id, plan_id, turn, "user", tenant, began_at >= ${since} as today,
        coalesce(cost_usd, estimate_usd)::numeric as usd,
        cost_usd is null and ended_at is null and began_at > ${underWaySince} as under_way
      from ${countersign}.model_calls where began_at >= ${since} or run_id = ${runId}
    )
    select ${sql.join(sums, sql`, `)} from calls`);
  if (row === undefined) throw new Error('readSpendingOf: no row came back');
  const spent: Spent = {
    turn: row.turn,
    session: plan === null ? row.session : plan.usd,
    plan: plan?.usd ?? 0,
    person: row.person,
    organisation: row.organisation,
    day: row.day + (await readFormerSpending(db, dayBegan)),
  };
  return {
    spent,
    planLimit: plan?.limit,
    settled: {
      turn: spent.turn - row.turn_under_way,
      session: spent.session - row.session_under_way,
      plan: spent.plan - row.plan_under_way,
      person: spent.person - row.person_under_way,
      organisation: spent.organisation - row.organisation_under_way,
      day: spent.day - row.day_under_way,
    },
  };
}

/** Running plans' costs booked by earlier versions. */
async function readFormerSpending(db: Queryable, since: Date): Promise<number> {
  const { rows } = await db.execute<{ usd: number }>(sql`
    select coalesce(sum(usd::numeric), 0)::float8 as usd
    from ${countersign}.spending where at >= ${since.toISOString()}::timestamptz`);
  return rows[0]?.usd ?? 0;
}

/** Under every ceiling that applies to another call of `payer`. */
export async function readSpending(db: Queryable, payer: Payer, times: Times): Promise<Spending> {
  return readSpendingOf(db, await findAccount(db, payer), times);
}

/** US dollars; open calls count as estimates. */
export async function readSpentSince(db: Queryable, since: Date): Promise<number> {
  const { rows } = await db.execute<{ usd: number }>(sql`
    select coalesce(sum(coalesce(cost_usd, estimate_usd)::numeric), 0)::float8 as usd
    from ${countersign}.model_calls where began_at >= ${since.toISOString()}::timestamptz`);
  return (rows[0]?.usd ?? 0) + (await readFormerSpending(db, since));
}

/** US dollars. */
export async function readSpentBy(db: Queryable, user: string, since: Date): Promise<number> {
  const { rows } = await db.execute<{ usd: number }>(sql`
    select coalesce(sum(coalesce(cost_usd, estimate_usd)::numeric), 0)::float8 as usd
    from ${countersign}.model_calls
    where "user" = ${user} and began_at >= ${since.toISOString()}::timestamptz`);
  return rows[0]?.usd ?? 0;
}

/** Recent calls considered, and the sample taken. */
const latestCalls = 2000;
const sampledCalls = 50;

const latestOf = (model: string) => sql`
  select stage, plan_id, output_tokens, cost_usd from (
    select * from ${countersign}.model_calls order by id desc limit ${latestCalls}
  ) latest where model = ${model} and output_tokens is not null`;

/** 90th percentile of output tokens of the stage's recent calls, otherwise the model's. */
export async function readUsualOutput(
  db: Queryable,
  { model, stage }: ModelCall,
): Promise<number | null> {
  const { rows } = await db.execute<{ tokens: number | null }>(sql`
    select percentile_disc(0.9) within group (order by output_tokens) as tokens
    from (
      select output_tokens from (${latestOf(model)}) calls
      where stage = ${stage} or not exists (select from (${latestOf(model)}) same where same.stage = ${stage})
      limit ${sampledCalls}
    ) sample`);
  return rows[0]?.tokens ?? null;
}

/** Average US dollars of recent calls of running plans. */
export async function readUsualStepCost(db: Queryable, model: string): Promise<number | null> {
  const { rows } = await db.execute<{ usd: number | null }>(sql`
    select avg(cost_usd)::float8 as usd
    from (select cost_usd from (${latestOf(model)}) calls where plan_id is not null limit ${sampledCalls}) sample`);
  return rows[0]?.usd ?? null;
}

/** Locks in a separate statement, because a statement's snapshot predates its locks. @param refuse pure; called under the lock */
export async function reserveCall<Refusal>(
  db: Pick<Database, 'transaction'>,
  payer: Payer,
  call: ModelCall & Times & { estimateUsd: number },
  refuse: (spending: Spending) => Refusal | null,
): Promise<{ id: number } | { refusal: Refusal; spent: Spent }> {
  return db.transaction(async (tx) => {
    await lockSpending(tx);
    const account = await findAccount(tx, payer);
    const spending = await readSpendingOf(tx, account, call);
    const refusal = refuse(spending);
    if (refusal !== null) return { refusal, spent: spending.spent };
    return { id: await insertCall(tx, account, call) };
  });
}

async function insertCall(
  tx: Transaction,
  { runId, turn, user, tenant, plan }: Account,
  { model, stage, estimateUsd, at }: ModelCall & { estimateUsd: number; at: Date },
): Promise<number> {
  const [row] = await tx
    .insert(modelCalls)
    .values({
      ...{ run_id: runId, turn, user, tenant, plan_id: plan?.id ?? null },
      ...{ model, stage, estimate_usd: estimateUsd, began_at: at },
    })
    .returning({ id: modelCalls.id });
  if (row === undefined) throw new Error('insertCall: no row came back');
  if (plan !== null)
    await tx
      .update(plans)
      .set({ cost_usd: sql`${plans.cost_usd} + ${estimateUsd}::float8` })
      .where(eq(plans.id, plan.id));
  return row.id;
}

export async function settleCall(
  db: Queryable,
  id: number,
  usage: Partial<TokenCounts>,
  costUsd: number,
): Promise<void> {
  const { input_tokens: read = null, output_tokens: written = null } = usage;
  await db.execute(sql`
    with before as (
      select id, plan_id, estimate_usd from ${countersign}.model_calls
      where id = ${id} and cost_usd is null for update
    ), settled as (
      update ${countersign}.model_calls
      set cost_usd = ${costUsd}::float8, input_tokens = ${read}::int, output_tokens = ${written}::int, ended_at = clock_timestamp()
      from before where model_calls.id = before.id
    )
    update ${countersign}.plans
    set cost_usd = (cost_usd::numeric + ${costUsd}::float8::numeric - before.estimate_usd::numeric)::float8
    from before where plans.id = before.plan_id`);
}

/** `nothing`: known to be free. `unknown`: cut off; partial output is charged, so the estimate keeps counting. */
export async function failCall(
  db: Queryable,
  id: number,
  charged: 'nothing' | 'unknown',
): Promise<void> {
  if (charged === 'nothing') return settleCall(db, id, {}, 0);
  await db
    .update(modelCalls)
    .set({ ended_at: sql`clock_timestamp()` })
    .where(and(eq(modelCalls.id, id), isNull(modelCalls.cost_usd)));
}

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
