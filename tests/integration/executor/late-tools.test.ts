// A plan approved while its tool starts waits, but not forever.
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { startPlan } from '#executor/turn.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { openTestInstance, reach, runPlan, type TestInstance } from '../../setup/instance.ts';
import { node, root } from '../../setup/process.ts';
import { haveWorkedFor, makeExecutor } from '../plans/bench.ts';

const database = useDatabase();

const server = join(root, 'tests/fixtures/append-server.ts');

function logTool(log: string, seconds: number) {
  const script = `sleep "$SECONDS_BEFORE"; exec ${node} ${server} ${log}`;
  const env = { SECONDS_BEFORE: String(seconds) };
  return { command: '/bin/sh', args: ['-c', script], env };
}

let log: string;
let gate: TestInstance;

beforeAll(async () => {
  log = join(await mkdtemp(join(tmpdir(), 'countersign-late-')), 'log');
  const mcpServers = { log: logTool(log, 0) };
  gate = await openTestInstance(database.url, { work: false, settings: { mcpServers } });
});
afterAll(() => gate.close());

const draft: PlanDraft = {
  title: 'Late',
  steps: [draftStep('a', 'Append', 'log_append', { line: 'x' })],
};

test('waits for a tool of its worker that needs longer than the start', async () => {
  const plan = await runPlan(gate, draft);
  const mcpServers = { log: logTool(log, 1) };
  const work = await openTestInstance(database.url, {
    awaitTools: false,
    settings: { mcpServers },
  });
  try {
    expect(await reach(gate, plan.id, 'completed', 'failed')).toMatchObject({
      status: 'completed',
    });
    expect((await readFile(log, 'utf8')).trim()).toBe('x');
  } finally {
    await work.close();
  }
});

test('fails with the reason when nobody has brought the tool for as long as a plan may stand still', async () => {
  const plan = await runPlan(gate, draft);
  const none = await openTestInstance(database.url, { work: false });
  let minutes = 29;
  const clock = { now: () => new Date(Date.now() + minutes * 60_000) };
  const executor = makeExecutor(none, { clock });
  await startPlan(executor, plan.id, { approvers: [], guardedApprovers: {} });
  expect((await gate.service.getPlan(plan.id)).status).toBe('approved');
  minutes = 31;
  await haveWorkedFor(none, 1);
  await startPlan(executor, plan.id, { approvers: [], guardedApprovers: {} });
  const failed = await gate.service.getPlan(plan.id);
  expect(failed.status).toBe('failed');
  expect(failed.result_summary).toContain('No worker offers the tool log');
  executor.leases.stop();
  await none.close();
});
