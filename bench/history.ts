// A year of ended plans, copied from two real ones.
import { type SQL, sql } from 'drizzle-orm';
import { sealAudit } from '#db/audit/seals.ts';
import type { Database, Queryable, Transaction } from '#db/database.ts';
import { systemClock } from '#domain/clock.ts';
import type { Service } from '#domain/service.ts';
import { Settings } from '#domain/settings.ts';
import { tableRules } from '#retention/rules.ts';
import { drawPlan } from './graphs.ts';
import { awaitCompletion, beginPlan } from './run-plan.ts';
import type { Stage } from './stage.ts';

/** Small plans per large one. */
const smallEach = 20;
const largeSteps = 1000;
const smallSteps = 20;
const stepsOfGroup = largeSteps + smallEach * smallSteps;
/** Some 28,000 steps. */
const copiedAtOnce = 20 * (smallEach + 1);
const messagesEach = 4;
const callsEach = 5;

/** To the oldest plan. */
export const daysOfHistory = 365;

/** Half of the plans go; of the rest, most events and half the attempts. */
export const limitsOfHistory = Settings.parse({
  retention: {
    plans: 180,
    events: 30,
    attempts: 90,
    messages: 180,
    runs: 180,
    planning: 90,
    audit: 180,
  },
}).retention;

export type History = { plans: number; steps: number };

type Column = { table: string; name: string; type: string; counted: boolean };

/** Plans first; a trigger maintains `step_blocks`. */
const planTables = Object.entries(tableRules)
  .filter(([table]) => table !== 'step_blocks')
  .flatMap(([table, rule]) =>
    table === 'plans' || table === 'audit' || ('with' in rule && rule.with === 'plan')
      ? [table]
      : [],
  );

/** Writable ones. */
async function readColumns(db: Queryable): Promise<Column[][]> {
  const { rows } = await db.execute<Column>(sql`
    select c.table_name as table, c.column_name as name, c.data_type as type,
      coalesce(c.column_default like 'nextval(%', false) as counted
    from information_schema.columns c where c.table_schema = 'countersign' and c.is_generated = 'NEVER'
    order by c.ordinal_position`);
  const columns = Map.groupBy(rows, ({ table }) => table);
  return planTables.map((table) => columns.get(table) ?? []);
}

/** A column's value in copy `c` of row `t`. */
function copyOf({ table, name, type }: Column): SQL {
  const value = sql`t.${sql.identifier(name)}`;
  if (name === (table === 'plans' ? 'id' : 'plan_id')) return sql`c.id`;
  if (name === 'id') return sql`${value} || '-' || c.n`;
  return type.startsWith('timestamp') ? sql`${value} - c.age` : value;
}

async function copyRows(tx: Transaction, columns: Column[], from: number): Promise<void> {
  const own = columns.filter(({ counted }) => !counted);
  const table = own[0]?.table;
  if (table === undefined) return;
  const key = table === 'plans' ? sql`t.id` : sql`t.plan_id`;
  const source =
    table === 'audit' ? sql`public.bench_audit` : sql`countersign.${sql.identifier(table)}`;
  await tx.execute(sql`
    insert into countersign.${sql.identifier(table)} (${sql.join(
      own.map(({ name }) => sql.identifier(name)),
      sql`, `,
    )})
    select ${sql.join(own.map(copyOf), sql`, `)}
    from public.bench_copies c join ${source} t on ${key} = c.template
    where c.n >= ${from} and c.n < ${from + copiedAtOnce} order by c.n`);
}

/** Run, trace, messages and model calls. */
async function addConversations(tx: Transaction, from: number): Promise<void> {
  const copies = sql`public.bench_copies c where c.n >= ${from} and c.n < ${from + copiedAtOnce} order by c.n`;
  const lines = (
    count: number,
  ) => sql`public.bench_copies c cross join generate_series(1, ${count}) line
    where c.n >= ${from} and c.n < ${from + copiedAtOnce} order by c.n, line`;
  await tx.execute(sql`
    insert into countersign.runs (id, "user", via, conversation, planning_status, request, modes, plan_id, trace, created_at, updated_at)
    select 'run-' || c.id, 'bench', 'api', 'bench-' || c.id, 'complete', 'Do nothing, many times', '{}', c.id,
      (select jsonb_agg(jsonb_build_object('stage', 'DRAFT_OUTLINE', 'note', repeat('How it was planned. ', 10))) from generate_series(1, 9)),
      now() - c.age, now() - c.age from ${copies}`);
  await tx.execute(sql`
    insert into countersign.messages (conversation, run_id, author, name, text, plan_id, created_at)
    select 'bench-' || c.id, 'run-' || c.id, case line % 2 when 0 then 'bot' else 'person' end, 'bench',
      'Message ' || line || ' of four, as long as people write them in a chat, which is a sentence or two.', c.id, now() - c.age
    from ${lines(messagesEach)}`);
  await tx.execute(sql`
    insert into countersign.model_calls (run_id, turn, "user", model, stage, estimate_usd, cost_usd, input_tokens, output_tokens, began_at, ended_at)
    select 'run-' || c.id, 1, 'bench', 'bench', 'DRAFT_OUTLINE', 0.01, 0.01, 4000, 400, now() - c.age, now() - c.age
    from ${lines(callsEach)}`);
}

/** To be copied. */
async function runTemplates(service: Service, signal: AbortSignal): Promise<[string, string]> {
  const ran = async (size: number) => {
    const { id } = await beginPlan(service, drawPlan('diamond', size));
    await awaitCompletion(service, id, { signal });
    return id;
  };
  return [await ran(largeSteps), await ran(smallSteps)];
}

/** The log is trimmed from its old end, so newer rows must go. */
async function putAuditAside(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(
      sql`create unlogged table public.bench_audit as select * from countersign.audit`,
    );
    await tx.execute(sql`select set_config('countersign.retention', 'on', true)`);
    await tx.execute(sql`delete from countersign.audit`);
    await tx.execute(sql`delete from countersign.audit_seals`);
  });
}

/** About `steps` steps. Needs a worker and no other user. @param db its statements may take minutes */
export async function fillHistory(
  db: Database,
  service: Service,
  { steps, signal, say }: { steps: number } & Pick<Stage, 'signal' | 'say'>,
): Promise<History> {
  const groups = Math.max(1, Math.ceil(steps / stepsOfGroup));
  const plans = groups * (smallEach + 1);
  const [large, small] = await runTemplates(service, signal);
  await db.query.execute(sql`
    create unlogged table public.bench_copies as select n, 'PLAN-' || left(md5(n::text), 10) as id,
      case n % ${smallEach + 1}::int when 0 then ${large} else ${small} end as template,
      make_interval(secs => ${daysOfHistory * 86_400}::float8 * (${plans}::int - n) / ${plans}::int) as age
    from generate_series(0, ${plans - 1}::int) n`);
  await putAuditAside(db);
  for (let from = 0; from < plans; from += copiedAtOnce) {
    signal.throwIfAborted();
    say(`${from} of ${plans} plans are there`);
    await db.transaction(async (tx) => {
      for (const columns of await readColumns(tx)) await copyRows(tx, columns, from);
      await addConversations(tx, from);
    });
  }
  await db.query.execute(sql`drop table public.bench_copies, public.bench_audit`);
  while ((await sealAudit(db, { key: null, clock: systemClock })).length > 0)
    signal.throwIfAborted();
  // A year-old database has been vacuumed.
  await db.pool.query('vacuum (analyze)');
  await db.pool.query('checkpoint');
  return { plans, steps: groups * stepsOfGroup };
}
