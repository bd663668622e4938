// Large graphs of nothing, run by four back ends in two processes: every step once, none before its prerequisites, and the
// counters of the overview equal a full count at every moment. COUNTERSIGN_DAGS names a folder with further graphs, JSON
// files of `{ tasks: [{ id, parents }] }`.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { StepStatus } from '#contracts/plan.ts';
import type { Overview } from '#contracts/views.ts';
import { build, chains, mosaic } from '#tests/fixtures/graphs.ts';
import { useDatabase } from '#tests/setup/database.ts';
import { type Server, usePrograms } from '#tests/setup/process.ts';

const database = useDatabase();
const programs = usePrograms();
const moments = 50;
let server: Server;
let client: Client;

beforeAll(async () => {
  // Small batches, so that there are many moments at which something could be wrong.
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

/** The kept counters and a full count, both of one moment. */
async function compareCounts(planId: string): Promise<void> {
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
  const zero = Object.fromEntries(StepStatus.options.map((status) => [status, 0]));
  const counts = Object.fromEntries(counted.rows.map(({ status, n }) => [status, n]));
  expect(kept.rows[0]).toEqual({ ...zero, ...counts });
}

function checkLog(lines: LogLine[], graph: Graph): void {
  expect(lines.map(({ step }) => step).toSorted()).toEqual(graph.map(({ id }) => id).toSorted());
  const byStep = new Map(lines.map((line) => [line.step, line]));
  for (const { id, after } of graph) {
    const line = byStep.get(id);
    expect(line?.status).toBe('succeeded');
    for (const before of after) {
      // ISO times of one form compare as text, to the microsecond.
      const ended = byStep.get(before)?.ended_at ?? '9';
      expect((line?.started_at ?? '') >= ended, `${id} began before ${before} had ended`).toBe(
        true,
      );
    }
  }
}

/** Graphs of people's own, by file. */
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

it.each(graphs)('%s', async (title, graph) => {
  const steps = graph.map((step, index) => ({
    ...step,
    description: 'Do nothing',
    tool: 'control',
    operation: 'noop',
    partition: `p${index % 20}`,
  }));
  const plan = await server.api.propose({ title, steps });
  expect((await server.api.approve(plan)).status).toBe(200);
  let compared = 0;
  for (;;) {
    const { body } = await server.api.get<Overview>(`/api/plans/${plan.id}/overview`);
    await compareCounts(plan.id);
    compared++;
    if (body.status !== 'approved' && body.status !== 'executing' && compared >= moments) break;
  }
  const { body: overview } = await server.api.get<Overview>(`/api/plans/${plan.id}/overview`);
  expect(overview.status).toBe('completed');
  expect(overview.counts.succeeded).toBe(graph.length);
  const inPartitions = overview.partitions.map(({ counts }) => counts.succeeded);
  expect(inPartitions.reduce((sum, n) => sum + n, 0)).toBe(graph.length);
  const log = (await server.api.text(`/api/plans/${plan.id}/log.jsonl`)).trim().split('\n');
  checkLog(
    log.map((line) => JSON.parse(line)),
    graph,
  );
  const workers = await client.query<{ worker: string }>(
    'select distinct worker from countersign.step_attempts where plan_id = $1',
    [plan.id],
  );
  // Four back ends were there, and more than one process had a part in it.
  const processes = new Set(workers.rows.map(({ worker }) => worker.split('/')[0]));
  expect(processes.size).toBe(2);
});
