// /metrics, compared with documents, dashboard and alert rules.
import { readFileSync } from 'node:fs';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { createMetrics, type Metrics } from '#app/metrics/create-metrics.ts';
import { createHealthServer } from '#app/serve-health.ts';
import { ana, noop, reach, runPlan } from '../setup/instance.ts';
import { useInstance } from '../setup/use-instance.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

const instance = useInstance();
let metrics: Metrics;
const complaints: unknown[] = [];
let now = new Date();

beforeAll(async () => {
  const warn = (_: string, error: unknown) => void complaints.push(error);
  metrics = createMetrics(instance.db, { role: 'worker', warn, clock: { now: () => now } });
  const probes = {
    alive: async () => ({ alive: true, parts: {} }),
    ready: async () => ({ ready: true, parts: {} }),
  };
  const server = await createHealthServer({
    log: false,
    service: instance.service,
    metrics: metrics.registry,
    probes,
    version: '1',
  });
  await server.close();
  const done = await runPlan(instance, [noop('a')]);
  await reach(instance, done.id, 'completed');
  await instance.service.propose({ title: 'Waits', steps: [noop('a')] }, { user: 'ana' }, ana);
  await instance.db.query.execute(sql`
    insert into countersign.model_calls (run_id, turn, "user", model, stage, estimate_usd, cost_usd, input_tokens, output_tokens)
    values ('r', 1, 'ana', 'gpt-x', 's', 1, 0.25, 10, 5), ('r', 1, 'ana', 'gpt-x', 's', 2, null, null, null)`);
  await instance.db.query.execute(sql`
    insert into countersign.model_calls (run_id, turn, "user", model, stage, estimate_usd, cost_usd, began_at)
    values ('r', 1, 'ana', 'gpt-old', 's', 1, 7, now() - interval '2 days')`);
  now = new Date();
});
afterAll(() => metrics.close());

const names = () => metrics.registry.getMetricsAsArray().map(({ name }) => name);
const ours = () => names().filter((name) => name.startsWith('countersign_'));

test('gauges of the installation are read from the database', async () => {
  const lines = (await metrics.registry.metrics()).split('\n');
  expect(complaints).toEqual([]);
  for (const line of [
    'countersign_database_up 1',
    'countersign_plans{status="completed"} 1',
    'countersign_plans{status="proposed"} 1',
    'countersign_approvals_waiting{kind="plan"} 1',
    'countersign_approvals_waiting{kind="change"} 0',
    'countersign_steps{status="unknown"} 0',
    'countersign_queue_jobs{queue="plan"} 0',
    'countersign_inbox_events 0',
    'countersign_deliveries_broken 0',
    // Pending calls count at maximum cost.
    'countersign_model_cost_today_usd{model="gpt-x"} 2.25',
    'countersign_model_tokens_today{model="gpt-x",direction="input"} 10',
  ])
    expect(lines).toContain(line);
  expect(lines.join('\n')).not.toContain('gpt-old');
  // A hash label would create a series per seal.
  expect(lines.join('\n')).toMatch(/^countersign_audit_seal \d+$/m);
  expect(lines.join('\n')).toMatch(/countersign_approvals_oldest_seconds\{kind="plan"\} 0?\.?\d/);
  expect(lines.join('\n')).toMatch(/countersign_backends\{backend="default",version="[^"]+"\} 1/);
});

test('gauges are read at most every ten seconds, however often somebody asks', async () => {
  const { db } = instance;
  let asked = 0;
  const query = new Proxy(db.query, {
    get(target, name, receiver) {
      if (name === 'execute') asked += 1;
      return Reflect.get(target, name, receiver);
    },
  });
  const own = createMetrics({ ...db, query }, { role: 'worker', warn: () => {} });
  await Promise.all([own.registry.metrics(), own.registry.metrics()]);
  const once = asked;
  await own.registry.metrics();
  own.close();
  expect(once).toBeGreaterThan(5);
  expect(asked).toBe(once);
});

test('a database that does not answer takes no other metric away', async () => {
  const { db } = instance;
  const broken = new Proxy(db.query, {
    get: () => () => Promise.reject(new Error('gone')),
  });
  const own = createMetrics({ ...db, query: broken }, { role: 'worker', warn: () => {} });
  const text = await own.registry.metrics();
  own.close();
  expect(text).toContain('countersign_database_up 0');
  expect(text).toContain('countersign_build_info{');
  expect(text).not.toContain('countersign_plans{');
  expect(text).not.toMatch(/^countersign_inbox_events /m);
});

describe('each metric of ours', () => {
  const page = read('docs/observability.md');

  test('is explained, in the metrics and in the documents', () => {
    for (const metric of metrics.registry.getMetricsAsArray())
      expect('help' in metric ? metric.help : '').not.toBe('');
    expect(ours().length).toBeGreaterThan(30);
    expect(ours().filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
  });

  test('that the documents name is there', () => {
    const documented = [...page.matchAll(/^\| `(countersign_\w+)` \|/gm)].map(
      ([, name = '']) => name,
    );
    expect(documented.filter((name) => !ours().includes(name))).toEqual([]);
  });
});

function metricsIn(expression: string): string[] {
  const found = expression.match(/\b(?:countersign|nodejs|process)_[a-z\d_]+/g) ?? [];
  return found.map((name) =>
    names().includes(name) ? name : name.replace(/_(bucket|count|sum)$/, ''),
  );
}

test('the dashboard shows only what there is, with a unit for each panel', () => {
  const Panel = z.looseObject({
    title: z.string(),
    type: z.string(),
    targets: z.array(z.object({ expr: z.string() })).default([]),
    fieldConfig: z.object({ defaults: z.object({ unit: z.string() }) }).optional(),
  });
  const { panels } = z
    .object({ panels: z.array(Panel) })
    .parse(JSON.parse(read('deploy/grafana/countersign.json')));
  const shown = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => metricsIn(expr)));
  expect(shown.filter((name) => !names().includes(name))).toEqual([]);
  const bare = panels.filter(
    ({ type, fieldConfig }) => type !== 'row' && fieldConfig === undefined,
  );
  expect(bare).toEqual([]);
});

test('alerts ask only for what there is, and say what to do', () => {
  const { groups } = z
    .object({
      groups: z.array(
        z.object({
          rules: z.array(
            z.object({
              alert: z.string(),
              expr: z.string(),
              annotations: z.object({ summary: z.string(), description: z.string() }),
            }),
          ),
        }),
      ),
    })
    .parse(parse(read('deploy/grafana/alerts.yaml')));
  const asked = groups.flatMap(({ rules }) => rules.flatMap(({ expr }) => metricsIn(expr)));
  expect(asked.length).toBeGreaterThan(15);
  expect(asked.filter((name) => !names().includes(name))).toEqual([]);
});
