// Retention on a year of plans while people continue working.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fillHistory, limitsOfHistory } from '#bench/history.ts';
import { openDatabase } from '#db/database.ts';
import { systemClock } from '#domain/clock.ts';
import { tableRules } from '#retention/rules.ts';
import { previewRetention } from '#retention/run-retention.ts';
import { ana, noop, reach, runPlan } from '../setup/instance.ts';
import { runRound } from '../setup/retention.ts';
import { useInstance } from '../setup/use-instance.ts';
import { waitFor } from '../wait.ts';

const instance = useInstance();
const steps = 20_000;
const timeoutMs = 600_000;
let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'countersign-archive-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const ask = { ...noop('ask'), tool: 'human', operation: 'task', args: { question: 'Go on?' } };

const planTables = Object.entries(tableRules).flatMap(([table, rule]) =>
  'with' in rule && rule.with === 'plan' ? [table] : [],
);

async function count(query: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await instance.db.query.execute<{ n: number }>(query);
  return rows[0]?.n ?? 0;
}

async function countRows(id: string): Promise<number[]> {
  const counts: number[] = [];
  for (const table of planTables)
    counts.push(
      await count(
        sql`select count(*)::int as n from countersign.${sql.identifier(table)} where plan_id = ${id}`,
      ),
    );
  return counts;
}

// Plans, and lines by kind.
async function readArchive() {
  const folder = join(home, 'archive');
  const plans = new Set<unknown>();
  const lines: Record<string, number> = {};
  for (const name of await readdir(folder)) {
    const kind = name.slice(0, name.indexOf('-'));
    for (const line of (await readFile(join(folder, name), 'utf8')).trimEnd().split('\n')) {
      lines[kind] = (lines[kind] ?? 0) + 1;
      if (line.startsWith('{"table":"plans"'))
        plans.add((JSON.parse(line) as { row: { id: string } }).row.id);
    }
  }
  return { plans, lines };
}

test('a year of plans comes to the limits while people propose and approve, and open plans stay as they are', {
  timeout: timeoutMs,
  retry: 0,
}, async () => {
  const { db, service } = instance;
  const patient = openDatabase(db.url, {
    max: 1,
    applicationName: 'history',
    silenceMs: timeoutMs,
    onError: () => undefined,
  });
  const signal = new AbortController().signal;
  const history = await fillHistory(patient, service, { steps, signal, say: () => undefined });
  expect(history.steps).toBeGreaterThanOrEqual(steps);
  await patient.close();

  const proposed = await service.propose(
    { title: 'Proposed', steps: [noop('a'), noop('b', 'a')] },
    { user: 'ana' },
    ana,
  );
  const asking = await runPlan(instance, [noop('a'), ask, noop('b', 'ask')]);
  await reach(instance, asking.id, 'executing');
  await waitFor('it to ask, and what is told of that', async () => {
    const jobs = await count(
      sql`select count(*)::int as n from pgboss.job where state in ('created', 'retry', 'active') and data ->> 'plan_id' = ${asking.id}`,
    );
    return jobs === 0 && (await service.getPlan(asking.id)).counts.waiting === 1;
  });
  const open = [proposed.id, asking.id];
  await db.query.execute(sql`
      update countersign.plans set created_at = now() - interval '900 days', updated_at = now() - interval '900 days'
      where id = any(${sql.param(open)}::text[])`);
  const untouched = async () => await Promise.all(open.map(countRows));
  const before = await untouched();
  const keeping = { db, clock: systemClock, settings: limitsOfHistory };
  const foreseen = await previewRetention(keeping);
  expect(foreseen.plans).toBeGreaterThan(history.plans / 3);

  let over = false;
  const round = runRound(db, { settings: limitsOfHistory, home }).finally(() => {
    over = true;
  });
  const pressed: string[] = [];
  while (!over) pressed.push((await runPlan(instance, [noop('a')])).id);
  const deleted = await round;
  expect(pressed.length).toBeGreaterThan(1);
  for (const id of pressed) await reach(instance, id, 'completed');

  const left = await previewRetention(keeping);
  expect(Object.values(left).every((n) => n === 0)).toBe(true);
  expect(foreseen.audit).toBeGreaterThan(0);
  // These plans still existed at the forecast.
  expect(deleted?.messages).toBe(4 * foreseen.plans);
  expect(deleted?.audit).toBe(foreseen.audit);
  expect(await untouched()).toEqual(before);
  expect((await service.getPlan(proposed.id)).status).toBe('proposed');
  expect(
    await count(sql`select count(*)::int as n from countersign.deleted_plans where not emptied`),
  ).toBe(0);
  for (const table of planTables)
    expect([
      table,
      await count(sql`select count(*)::int as n from countersign.${sql.identifier(table)} t
          where t.plan_id is not null and not exists (select 1 from countersign.plans p where p.id = t.plan_id)`),
    ]).toEqual([table, 0]);

  const { plans, lines } = await readArchive();
  expect(plans.size).toBe(foreseen.plans);
  expect(await count(sql`select count(*)::int as n from countersign.deleted_plans`)).toBe(
    plans.size,
  );
  expect(lines.attempts).toBe(deleted?.attempts);
  expect(lines.events).toBe(deleted?.events);
  expect(lines.audit).toBe(deleted?.audit);
});
