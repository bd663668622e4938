// Deletes plans that ended long ago, and events and attempts of those that ended a while ago. A plan is archived whole, then its
// row is deleted if nothing has changed since, which makes it vanish at once, and what it has in large tables follows in parts: a
// round that was cut off goes on there, since the deleted plan is remembered as not emptied yet.
import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '#db/database.ts';
import { readAllOf } from '#db/plan-rows.ts';
import { exportMarkdown } from '#plans/views/markdown.ts';
import { tableRules } from './rules.ts';
import { cutoff, deleteTaken, lineOf, type RetentionContext, takeRows } from './sweep.ts';

const plansAtOnce = 100;
/** Of plans with so many steps at most the archive also has the Markdown, to read; the rows say the same of all. */
const readableSteps = 2000;
const rowsAtOnce = 2000;
/** They can be large. */
const artifactsAtOnce = 5;

/** The plan `p` has ended, nothing is under way about it, and it has not changed since. */
const hasEnded = (before: string): SQL => sql`
  p.status in ('completed', 'failed', 'cancelled', 'rejected') and not p.revising and p.pending_patch is null
  and p.updated_at < ${before}::timestamptz and (p.open_until is null or p.open_until < ${before}::timestamptz)`;

/** Nothing that goes on refers to it: no reminder that still rings, and no run that somebody may go on with. */
const isAlone = (before: string): SQL => sql`
  not exists (select 1 from countersign.reminders r where r.plan_id = p.id and r.next_at is not null)
  and not exists (select 1 from countersign.runs r where r.plan_id = p.id
    and r.planning_status not in ('complete', 'aborted') and r.updated_at >= ${before}::timestamptz)`;

type Found = { id: string; revision: number; total: number; ended_at: string };

async function* findPlans(db: Queryable, condition: SQL): AsyncGenerator<Found> {
  for (let after = ''; ; ) {
    const { rows } = await db.execute<Found>(sql`
      select p.id, p.revision, p.total, p.updated_at::text as ended_at from countersign.plans p
      where p.id > ${after} and ${condition} order by p.id limit ${plansAtOnce}`);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < plansAtOnce) return;
    after = last.id;
  }
}

const planTables = Object.entries(tableRules).flatMap(([table, rule]) =>
  'with' in rule && rule.with === 'plan' ? [{ table, large: rule.large === true }] : [],
);

/** Writes everything of a plan to the archive. @returns the file's name */
async function archivePlan(context: RetentionContext, plan: Found): Promise<string | null> {
  const { archive, db } = context;
  if (archive === null) return null;
  let file: string | null = null;
  const write = async (table: string, rows: string[]) => {
    file = await archive.append(
      'plans',
      rows.map((row) => lineOf(table, row)),
    );
  };
  for (const table of ['plans', ...planTables.map((one) => one.table)]) {
    const limit = table === 'artifacts' ? artifactsAtOnce : rowsAtOnce;
    for (let offset = 0; ; offset += limit) {
      const rows = await context.pace(() => readAllOf(db.query, table, plan.id, { offset, limit }));
      if (rows.length > 0) await write(table, rows);
      if (rows.length < limit) break;
      await context.book('plans', 0);
    }
  }
  if (plan.total <= readableSteps) {
    const text: string[] = [];
    for await (const chunk of exportMarkdown(db.query, plan.id)) text.push(chunk);
    await write('plan.md', [JSON.stringify({ plan_id: plan.id, text: text.join('') })]);
  }
  return file;
}

/** The plan's own row and all small ones, if it is still as it was archived. @returns whether it was */
function deletePlan(
  { db }: RetentionContext,
  plan: Found,
  archive: string | null,
  still: SQL,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const { rows } = await tx.execute(sql`
      select 1 from countersign.plans p where p.id = ${plan.id} and p.revision = ${plan.revision} and ${still}
      for update skip locked`);
    if (rows.length === 0) return false;
    await tx.execute(sql`select set_config('countersign.in_parts', 'on', true)`);
    await tx.execute(sql`
      insert into countersign.deleted_plans (id, ended_at, archive)
      values (${plan.id}, ${plan.ended_at}::timestamptz, ${archive})`);
    await tx.execute(sql`delete from countersign.plans where id = ${plan.id}`);
    return true;
  });
}

/** What a deleted plan has left in large tables. Nobody refers to it, so its rows are locked by nobody else. */
async function emptyPlan(context: RetentionContext, id: string): Promise<void> {
  const { db } = context;
  for (const { table } of planTables.filter(({ large }) => large)) {
    for (let gone = -1; gone !== 0; ) {
      gone = await context.pace((limit) =>
        db.transaction(async (tx) => {
          // Blocks need not be kept right for a plan that is not there.
          await tx.execute(sql`select set_config('countersign.counted', 'on', true)`);
          const { rowCount } = await tx.execute(sql`
            delete from ${sql.identifier('countersign')}.${sql.identifier(table)} where ctid = any(array(
              select ctid from ${sql.identifier('countersign')}.${sql.identifier(table)} where plan_id = ${id} limit ${limit}))`);
          return rowCount ?? 0;
        }),
      );
      await context.book('plans', gone);
    }
  }
  await db.query.execute(sql`update countersign.deleted_plans set emptied = true where id = ${id}`);
}

/** Goes on with plans of which only the beginning was deleted. */
export async function emptyDeletedPlans(context: RetentionContext): Promise<void> {
  const { rows } = await context.db.query.execute<{ id: string }>(
    sql`select id from countersign.deleted_plans where not emptied order by id`,
  );
  for (const { id } of rows) await emptyPlan(context, id);
}

export const plansOver = (before: string) => sql`${hasEnded(before)} and ${isAlone(before)}`;

/** Deletes plans that ended more than `days` ago. */
export async function deletePlans(context: RetentionContext, days: number): Promise<void> {
  const over = plansOver(cutoff(context.clock, days));
  for await (const plan of findPlans(context.db.query, over)) {
    const archive = await archivePlan(context, plan);
    if (await deletePlan(context, plan, archive, over)) await emptyPlan(context, plan.id);
    else await context.book('plans', 0);
  }
}

/** What is trimmed of plans that have ended; the row is `t`, the plan `p`. */
const trimmed = {
  // The last one stays, and says how far the plan had come.
  events: { table: 'plan_events', which: sql`t.plan_id = p.id and t.revision < p.revision` },
  attempts: { table: 'step_attempts', which: sql`t.plan_id = p.id` },
} as const;

export function trimmable(kind: keyof typeof trimmed, before: string): SQL {
  const { table, which } = trimmed[kind];
  return sql`${hasEnded(before)} and exists (
    select 1 from ${sql.identifier('countersign')}.${sql.identifier(table)} t where ${which})`;
}

/** Deletes events or attempts of plans that ended more than `days` ago. */
export async function trimPlans(
  context: RetentionContext,
  kind: keyof typeof trimmed,
  days: number,
): Promise<void> {
  const { db, clock, archive } = context;
  const { table, which } = trimmed[kind];
  const before = cutoff(clock, days);
  for await (const plan of findPlans(db.query, trimmable(kind, before))) {
    for (let gone = -1; gone !== 0; ) {
      gone = await context.pace((limit) =>
        db.transaction(async (tx) => {
          // Whoever resumes it waits a moment, and what comes then finds a plan that has not ended.
          const { rows } = await tx.execute(sql`
            select 1 from countersign.plans p where p.id = ${plan.id} and ${hasEnded(before)} for no key update skip locked`);
          if (rows.length === 0) return 0;
          const where = sql`t.plan_id = ${plan.id} and exists (select 1 from countersign.plans p where p.id = ${plan.id} and ${which})`;
          const taken = await takeRows(tx, { table, where, limit, whole: archive !== null });
          if (taken.length === 0) return 0;
          await archive?.append(
            kind,
            taken.map(({ row }) => lineOf(table, row)),
          );
          return deleteTaken(
            tx,
            table,
            taken.map(({ ctid }) => ctid),
          );
        }),
      );
      await context.book(kind, gone);
    }
  }
}
