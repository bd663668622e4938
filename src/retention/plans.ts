// Deletes ended plans, and trims events and attempts of others.
// Deleting a plan's row hides it at once; large tables follow in parts. An interrupted round resumes there.
import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '#db/database.ts';
import { type PlanRow, readAllOf, rowsOfPlans } from '#db/plans/rows.ts';
import { countersign } from '#db/schema.ts';
import { waitingPatch } from '#db/sql/patch-reads.ts';
import { exportMarkdown } from '#plans/views/markdown.ts';
import { tableRules } from './rules.ts';
import { cutoff, deleteTaken, lineOf, type RetentionContext, takeRows } from './sweep.ts';

const plansAtOnce = 100;
/** With their small tables, in one transaction. */
const deletedAtOnce = 20;
/** Archived together; a larger plan goes alone. */
const stepsAtOnce = 20_000;
/** Up to this size also archived as Markdown. */
const readableSteps = 2000;
const rowsAtOnce = 2000;
const artifactsAtOnce = 5;

/** With nothing pending and unchanged since. */
const hasEnded = (before: string): SQL => sql`
  p.status in ('completed', 'failed', 'cancelled', 'rejected') and not p.revising and ${waitingPatch(sql`p.id`)} is null
  and p.updated_at < ${before}::timestamptz and (p.open_until is null or p.open_until < ${before}::timestamptz)`;

const isAlone = (before: string): SQL => sql`
  not exists (select 1 from ${countersign}.reminders r where r.plan_id = p.id and r.next_at is not null)
  and not exists (select 1 from ${countersign}.runs r where r.plan_id = p.id
    and r.planning_status not in ('complete', 'aborted') and r.updated_at >= ${before}::timestamptz)`;

type Found = { id: string; revision: number; total: number };

const idsOf = (plans: Found[]) => plans.map(({ id }) => id);

async function* findPlans(db: Queryable, condition: SQL): AsyncGenerator<Found[]> {
  for (let after = ''; ; ) {
    const { rows } = await db.execute<Found>(sql`
      select p.id, p.revision, p.total from ${countersign}.plans p
      where p.id > ${after} and ${condition} order by p.id limit ${plansAtOnce}`);
    let together: Found[] = [];
    let steps = 0;
    for (const plan of rows) {
      steps += plan.total;
      if (together.length > 0 && steps > stepsAtOnce) {
        yield together;
        [together, steps] = [[], plan.total];
      }
      together.push(plan);
    }
    if (together.length > 0) yield together;
    const last = rows.at(-1);
    if (last === undefined || rows.length < plansAtOnce) return;
    after = last.id;
  }
}

const planTables = Object.entries(tableRules).flatMap(([table, rule]) =>
  'with' in rule && rule.with === 'plan' ? [{ table, large: rule.large === true }] : [],
);

async function archivePlans(context: RetentionContext, plans: Found[]): Promise<string | null> {
  const { archive, db } = context;
  if (archive === null) return null;
  let file: string | null = null;
  let lines: string[] = [];
  const flush = async () => {
    file = await archive.append('plans', lines);
    lines = [];
    await context.book('plans', 0);
  };
  for (const table of ['plans', ...planTables.map((one) => one.table)]) {
    const limit = table === 'artifacts' ? artifactsAtOnce : rowsAtOnce;
    for (let after: string[] | null = null, more = true; more; ) {
      const from: string[] | null = after;
      const rows: PlanRow[] = await context.pace(() =>
        readAllOf(db.query, table, idsOf(plans), { after: from, limit }),
      );
      lines.push(...rows.map(({ row }) => lineOf(table, row)));
      if (lines.length >= limit) await flush();
      [after, more] = [rows.at(-1)?.key ?? null, rows.length === limit];
    }
  }
  for (const { id, total } of plans) {
    if (total > readableSteps) continue;
    const text: string[] = [];
    for await (const chunk of exportMarkdown(db.query, id)) text.push(chunk);
    lines.push(lineOf('plan.md', JSON.stringify({ plan_id: id, text: text.join('') })));
    await context.book('plans', 0);
  }
  await flush();
  return file;
}

/** Plans unchanged since archiving, and their small tables. @returns their IDs */
function deleteRows(
  { db }: RetentionContext,
  plans: Found[],
  archive: string | null,
  still: SQL,
): Promise<string[]> {
  return db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ id: string }>(sql`
      select p.id from ${countersign}.plans p join unnest(${sql.param(idsOf(plans))}::text[],
        ${sql.param(plans.map(({ revision }) => revision))}::bigint[]) a (id, revision) on p.id = a.id and p.revision = a.revision
      where ${still} for update of p skip locked`);
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return ids;
    // The newest large table that this program knows; the trigger deletes later ones at once.
    await tx.execute(sql`select set_config('countersign.in_parts', 'past_steps', true)`);
    await tx.execute(sql`
      insert into ${countersign}.deleted_plans (id, ended_at, archive)
      select t.id, t.updated_at, ${archive} from ${countersign}.plans t where ${rowsOfPlans(ids, 'id')}`);
    await tx.execute(sql`delete from ${countersign}.plans t where ${rowsOfPlans(ids, 'id')}`);
    return ids;
  });
}

/** In large tables. Unreferenced, so never contended. */
async function emptyPlans(context: RetentionContext, ids: string[]): Promise<void> {
  const { db } = context;
  if (ids.length === 0) return;
  for (const { table } of planTables.filter(({ large }) => large)) {
    const name = sql`${countersign}.${sql.identifier(table)}`;
    for (let more = true; more; ) {
      const page = await context.pace(async (limit) => {
        const gone = await db.transaction(async (tx) => {
          // A deleted plan's blocks need no counting.
          await tx.execute(sql`select set_config('countersign.counted', 'on', true)`);
          const { rowCount } = await tx.execute(sql`delete from ${name} where ctid = any(array(
            select ctid from ${name} t where ${rowsOfPlans(ids)} limit ${limit}))`);
          return rowCount ?? 0;
        });
        return { gone, more: gone === limit };
      });
      await context.book('plans', page.gone);
      more = page.more;
    }
  }
  await db.query.execute(
    sql`update ${countersign}.deleted_plans t set emptied = true where ${rowsOfPlans(ids, 'id')}`,
  );
}

export async function emptyDeletedPlans(context: RetentionContext): Promise<void> {
  const { rows } = await context.db.query.execute<{ id: string }>(
    sql`select id from ${countersign}.deleted_plans where not emptied order by id`,
  );
  await emptyPlans(
    context,
    rows.map(({ id }) => id),
  );
}

export const plansOver = (before: string) => sql`${hasEnded(before)} and ${isAlone(before)}`;

export async function deletePlans(context: RetentionContext, days: number): Promise<void> {
  const over = plansOver(cutoff(context.clock, days));
  for await (const plans of findPlans(context.db.query, over)) {
    const archive = await archivePlans(context, plans);
    const gone: string[] = [];
    for (let at = 0; at < plans.length; at += deletedAtOnce) {
      const some = plans.slice(at, at + deletedAtOnce);
      gone.push(...(await context.pace(() => deleteRows(context, some, archive, over))));
    }
    await emptyPlans(context, gone);
  }
}

/** `t` is the row, `p` the plan. */
const trimmed = {
  // Keeps the last one, with the plan's final progress.
  events: { table: 'plan_events', which: sql`t.plan_id = p.id and t.revision < p.revision` },
  attempts: { table: 'step_attempts', which: sql`t.plan_id = p.id` },
} as const;

export function trimmable(kind: keyof typeof trimmed, before: string): SQL {
  const { table, which } = trimmed[kind];
  return sql`${hasEnded(before)} and exists (
    select 1 from ${sql.identifier('countersign')}.${sql.identifier(table)} t where ${which})`;
}

export async function trimPlans(
  context: RetentionContext,
  kind: keyof typeof trimmed,
  days: number,
): Promise<void> {
  const { db, clock, archive } = context;
  const { table, which } = trimmed[kind];
  const before = cutoff(clock, days);
  for await (const plans of findPlans(db.query, trimmable(kind, before))) {
    for (let more = true; more; ) {
      const page = await context.pace(async (limit) => {
        const gone = await db.transaction(async (tx) => {
          // Locks the plans: resuming one waits briefly, and later pages skip it.
          const { rows } = await tx.execute<{ id: string }>(sql`
            select p.id from ${countersign}.plans p where p.id = any(${sql.param(idsOf(plans))}::text[]) and ${hasEnded(before)}
            for no key update skip locked`);
          if (rows.length === 0) return 0;
          const where = sql`${rowsOfPlans(rows.map(({ id }) => id))}
            and exists (select 1 from ${countersign}.plans p where p.id = t.plan_id and ${which})`;
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
        });
        return { gone, more: gone === limit };
      });
      await context.book(kind, page.gone);
      more = page.more;
    }
  }
}
