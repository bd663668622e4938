// Pausing and cancelling a plan that two whole processes work on: what runs ends or is stopped, and nothing new begins.
import { once } from 'node:events';
import { createServer, type Server as HttpServer } from 'node:http';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Plan } from '#domain/plan/plan.ts';
import { draftStep } from '../fixtures/steps.ts';
import { useDatabase } from '../setup/database.ts';
import { type Server, usePrograms } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const database = useDatabase();
const programs = usePrograms();
let main: Server;
let db: Client;

/** Answers each call when it is told to; knows who waits and who has left. */
const calls = { came: [] as string[], left: [] as string[], answer: new Map<string, () => void>() };
let target: HttpServer;
let port: number;

beforeAll(async () => {
  target = createServer((request, response) => {
    const path = request.url ?? '';
    calls.came.push(path);
    calls.answer.set(path, () => response.end('done'));
    response.once('close', () => {
      if (!response.writableFinished) calls.left.push(path);
    });
  });
  target.listen(0, '127.0.0.1');
  await once(target, 'listening');
  const address = target.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  port = address.port;
  const home = await programs.home({
    http: { allowPrivate: ['127.0.0.1'], timeout_ms: 600_000 },
    executor: { lease_seconds: 5 },
    backends: { default: { concurrency: 2 } },
  });
  const options = { home, database: database.url };
  [main] = await Promise.all([programs.serve(options), programs.work(options)]);
  db = new Client({ connectionString: database.url });
  await db.connect();
});

afterAll(async () => {
  await db.end();
  target.closeAllConnections();
  target.close();
});

async function begin(name: string, count: number): Promise<Plan> {
  const plan = await main.api.propose({
    title: name,
    steps: Array.from({ length: count }, (_, i) =>
      draftStep(`${i + 1}`, `Call ${i + 1}`, 'http_get', {
        url: `http://127.0.0.1:${port}/${name}/${i + 1}`,
      }),
    ),
  });
  expect((await main.api.approve(plan)).status).toBe(200);
  return plan;
}

const of = (name: string, paths: string[]) => paths.filter((path) => path.startsWith(`/${name}/`));

it('a paused plan ends what runs in both processes and begins nothing, until it is resumed', async () => {
  const plan = await begin('pause', 12);
  await waitFor('both processes to be busy', () => of('pause', calls.came).length === 4);
  const { rows: owners } = await db.query(
    `select distinct lease_owner from countersign.step_states where plan_id = $1 and status = 'running'`,
    [plan.id],
  );
  expect(owners).toHaveLength(2);
  const paused = await main.api.post(`/api/plans/${plan.id}/pause`, { version: plan.version });
  expect(paused.status).toBe(200);
  for (const path of of('pause', calls.came)) calls.answer.get(path)?.();
  const quiet = await waitFor('what ran to end', async () => {
    const now = await main.api.plan(plan.id);
    return now.counts.running === 0 && now.counts.succeeded === 4 ? now : null;
  });
  expect(quiet).toMatchObject({ status: 'executing', paused: true, counts: { ready: 8 } });
  // Another plan comes and goes meanwhile: both processes look for work, and find none here.
  const other = await begin('between', 8);
  const answered = new Set<string>();
  const answerAll = (name: string) => {
    for (const path of of(name, calls.came)) {
      if (answered.has(path)) continue;
      answered.add(path);
      calls.answer.get(path)?.();
    }
  };
  await waitFor('the other plan', async () => {
    answerAll('between');
    return (await main.api.plan(other.id)).status === 'completed';
  });
  expect(of('pause', calls.came)).toHaveLength(4);
  const { version } = await main.api.plan(plan.id);
  expect((await main.api.post(`/api/plans/${plan.id}/resume`, { version })).status).toBe(200);
  await waitFor('the plan to complete', async () => {
    answerAll('pause');
    return (await main.api.plan(plan.id)).status === 'completed';
  });
  expect(of('pause', calls.came).sort()).toEqual(
    Array.from({ length: 12 }, (_, i) => `/pause/${i + 1}`).sort(),
  );
});

it('a step that still waits for its turn when its plan is paused does not begin', async () => {
  const hold = await begin('hold', 4);
  await waitFor('both processes to be busy', () => of('hold', calls.came).length === 4);
  const late = await begin('late', 4);
  const started = await waitFor('it to be under way', async () => {
    const now = await main.api.plan(late.id);
    return now.status === 'executing' ? now : null;
  });
  expect(started).toMatchObject({ counts: { ready: 4, running: 0 } });
  const { version } = started;
  expect((await main.api.post(`/api/plans/${late.id}/pause`, { version })).status).toBe(200);
  for (const path of of('hold', calls.came)) calls.answer.get(path)?.();
  await main.api.reach(hold.id, 'completed');
  const next = await begin('next', 4);
  await waitFor('what comes next to run', () => of('next', calls.came).length === 4);
  for (const path of of('next', calls.came)) calls.answer.get(path)?.();
  await main.api.reach(next.id, 'completed');
  const paused = await main.api.plan(late.id);
  expect(paused).toMatchObject({ status: 'executing', paused: true, counts: { ready: 4 } });
  expect(of('late', calls.came)).toEqual([]);
  expect((await main.api.post(`/api/plans/${late.id}/cancel`, { version })).status).toBe(200);
});

it('a cancelled plan stops its calls in both processes: their sockets close', async () => {
  const plan = await begin('cancel', 6);
  await waitFor('both processes to be busy', () => of('cancel', calls.came).length === 4);
  const { version } = await main.api.plan(plan.id);
  expect((await main.api.post(`/api/plans/${plan.id}/cancel`, { version })).status).toBe(200);
  await waitFor('the calls to be stopped', () => of('cancel', calls.left).length === 4);
  const over = await waitFor('the steps to be cancelled', async () => {
    const now = await main.api.plan(plan.id);
    return now.counts.cancelled === 6 ? now : null;
  });
  expect(over).toMatchObject({ status: 'cancelled', counts: { running: 0, unknown: 0 } });
  expect(of('cancel', calls.came)).toHaveLength(4);
});
