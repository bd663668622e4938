// Large graphs on four back ends: each step once, in order.
// COUNTERSIGN_DAGS: a folder with more graphs, as JSON `{ tasks: [{ id, parents }] }`.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type StepCounts, StepStatus } from '#domain/plan/plan.ts';
import type { Diff, Overview } from '#domain/plan/views.ts';
import { build, chains, mosaic } from '../fixtures/graphs.ts';
import { useDatabase } from '../setup/database.ts';
import { type Server, usePrograms } from '../setup/process.ts';

const database = useDatabase();
const programs = usePrograms();
// Checks per graph; fast machines repeat it.
const moments = 50;
const changesAPage = 1000;
let server: Server;
let client: Client;

beforeAll(async () => {
  // Small batches give more moments for mistakes.
  const home = await programs.home({
    executor: { batch: 10 },
    backends: { left: { concurrency: 4 }, right: { concurrency: 4 } },
  });
  const options = { home, database: database.url };
  server = await programs.serve(options);
  await programs.work(options);
  client = new Client({ connectionString: database.url });
  await client.connect();
});
afterAll(() => client.end());

type LogLine = { step: string; status: string; started_at: string; ended_at: string };
type Graph = { id: string; after: string[] }[];

const nothing = () =>
  Object.fromEntries(StepStatus.options.map((status) => [status, 0])) as StepCounts; // Each status is a key.

/** Both of one snapshot. @returns whether the plan was running then */
async function compareCounts(planId: string): Promise<boolean> {
  const columns = StepStatus.options.join(', ');
  await client.query('begin isolation level repeatable read');
  const kept = await client.query(`select ${columns} from countersign.plans where id = $1`, [
    planId,
  ]);
  const counted = await client.query<{ status: string; n: number }>(
    `select status, count(*)::int as n from countersign.step_states where plan_id = $1 group by status`,
    [planId],
  );
  await client.query('commit');
  const counts = Object.fromEntries(counted.rows.map(({ status, n }) => [status, n]));
  expect(kept.rows[0]).toEqual({ ...nothing(), ...counts });
  const { succeeded = 0, ...others } = counts;
  return succeeded > 0 && Object.keys(others).length > 0;
}

async function compareOverviews(planId: string, graph: Graph, seen: Overview[]): Promise<void> {
  const expected = new Map(seen.map(({ revision, counts }) => [revision, counts]));
  const now = new Map<string, StepStatus>(graph.map(({ id }) => [id, 'pending']));
  const counts: StepCounts = { ...nothing(), pending: graph.length };
  let compared = 0;
  for (let since = 0, more = true; more; ) {
    const { body: page } = await server.api.get<Diff>(
      `/api/plans/${planId}/diff?since=${since}&limit=${changesAPage}`,
    );
    for (const { revision, step_id, status } of page.changes) {
      const before = step_id === null ? undefined : now.get(step_id);
      if (step_id !== null && before !== undefined) {
        const after = StepStatus.parse(status);
        counts[before]--;
        counts[after]++;
        now.set(step_id, after);
      }
      const wanted = expected.get(revision);
      if (wanted === undefined) continue;
      expect(wanted, `the overview at revision ${revision}`).toEqual(counts);
      compared++;
    }
    since = page.to;
    more = page.more;
  }
  expect(compared).toBe(expected.size);
}

function checkLog(lines: LogLine[], graph: Graph): void {
  expect(lines.map(({ step }) => step).toSorted()).toEqual(graph.map(({ id }) => id).toSorted());
  const byStep = new Map(lines.map((line) => [line.step, line]));
  for (const { id, after } of graph) {
    const line = byStep.get(id);
    expect(line?.status).toBe('succeeded');
    for (const before of after) {
      // ISO times compare as text.
      const ended = byStep.get(before)?.ended_at ?? '9';
      expect((line?.started_at ?? '') >= ended, `${id} began before ${before} had ended`).toBe(
        true,
      );
    }
  }
}

function readGraphs(folder: string | undefined): [string, Graph][] {
  if (folder === undefined) return [];
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return files.map((name) => {
    const { tasks }: { tasks: { id: string; parents: string[] }[] } = JSON.parse(
      readFileSync(join(folder, name), 'utf8'),
    );
    return [name, tasks.map(({ id, parents }) => ({ id, after: parents }))];
  });
}

const graphs: [string, Graph][] = [
  ['a mosaic of 1,000 steps', mosaic(249)],
  ['a build of 1,500 tasks', build(1500, 20260504)],
  ['twenty chains of fifty', chains(20, 50)],
  ...readGraphs(process.env.COUNTERSIGN_DAGS),
];

/** @returns the number of comparisons */
async function run(title: string, graph: Graph): Promise<number> {
  const steps = graph.map((step, index) => ({
    ...step,
    description: 'Do nothing',
    tool: 'control',
    operation: 'noop',
    partition: `p${index % 20}`,
  }));
  const plan = await server.api.propose({ title, steps });
  const readOverview = async () =>
    (await server.api.get<Overview>(`/api/plans/${plan.id}/overview`)).body;
  expect((await server.api.approve(plan)).status).toBe(200);
  const seen: Overview[] = [];
  let underWay = 0;
  for (let over = false; !over; ) {
    const overview = await readOverview();
    seen.push(overview);
    over = overview.status !== 'approved' && overview.status !== 'executing';
    if (await compareCounts(plan.id)) underWay++;
  }
  const overview = await readOverview();
  expect(overview.status).toBe('completed');
  expect(overview.counts).toEqual({ ...nothing(), succeeded: graph.length });
  const inPartitions = overview.partitions.map(({ counts }) => counts.succeeded);
  expect(inPartitions.reduce((sum, n) => sum + n, 0)).toBe(graph.length);
  await compareOverviews(plan.id, graph, seen);
  const log = (await server.api.text(`/api/plans/${plan.id}/log.jsonl`)).trim().split('\n');
  checkLog(
    log.map((line) => JSON.parse(line)),
    graph,
  );
  const workers = await client.query<{ worker: string }>(
    'select distinct worker from countersign.step_attempts where plan_id = $1',
    [plan.id],
  );
  const processes = new Set(workers.rows.map(({ worker }) => worker.split('/')[0]));
  expect(processes.size).toBe(2);
  return underWay;
}

it.each(graphs)('%s', async (title, graph) => {
  for (let compared = 0; compared < moments; ) compared += await run(title, graph);
});
