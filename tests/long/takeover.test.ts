// One of two processes dies in the middle of many plans: the other goes on with all of them, and repeats nothing.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Plan } from '#domain/plan/plan.ts';
import { appendTool } from '../fixtures/append-tool.ts';
import { draftStep } from '../fixtures/steps.ts';
import { useDatabase } from '../setup/database.ts';
import { usePrograms } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const database = useDatabase();
const programs = usePrograms();

/** Plans approved at once. */
const many = 10;
const lineOf = (plan: string, step: number) => `${plan}/${step}`;
const draftOf = (plan: string) => ({
  title: plan,
  steps: [1, 2, 3, 4].map((step) => ({
    ...draftStep(String(step), `Append line ${step}`, 'log_append', { line: lineOf(plan, step) }),
    after: step > 2 ? [String(step - 1)] : [],
  })),
});

it('leaves every line in the log exactly once', async () => {
  const log = join(await programs.home(), 'log.txt');
  const home = await programs.home({
    executor: { lease_seconds: 2 },
    mcpServers: { log: appendTool(log) },
  });
  const options = { home, database: database.url };
  const readLog = async () => (await readFile(log, 'utf8')).trim().split('\n');
  const [dying, living] = await Promise.all([
    programs.serve({ ...options, env: { COUNTERSIGN_CRASH_AT: 'after_call:7' } }),
    programs.serve(options),
  ]);
  let died = false;
  void dying.exited.then(() => {
    died = true;
  });
  const plans: Plan[] = [];
  const atRest = async ({ id }: Plan) => {
    const { status, counts } = await living.api.plan(id);
    return status === 'completed' || (counts.unknown > 0 && counts.running + counts.ready === 0);
  };
  const areAtRest = async () => (await Promise.all(plans.map(atRest))).every(Boolean);
  // Either process may make the calls: more plans follow until the dying one has made its own.
  for (let group = 0; !died && group < 8; group++) {
    const fresh: Plan[] = [];
    for (let i = 0; i < many; i++)
      fresh.push(await living.api.propose(draftOf(`plan-${group}-${i}`)));
    plans.push(...fresh);
    await Promise.all(fresh.map((plan) => living.api.approve(plan)));
    await waitFor('its end, or that of the plans', async () => died || (await areAtRest()), {
      timeoutMs: 45_000,
      everyMs: 100,
    });
  }
  expect(await dying.exited).toEqual({ code: null, signal: 'SIGKILL' });
  await waitFor('every plan to be done or to ask', areAtRest, { timeoutMs: 45_000, everyMs: 100 });
  let asked = 0;
  for (const { id, title, version } of plans) {
    const unknown = (await living.api.steps(id)).filter(({ status }) => status === 'unknown');
    if (unknown.length === 0) continue;
    asked += unknown.length;
    const there = await readLog();
    const verdicts = unknown.map((step) => {
      const done = there.includes(lineOf(title, Number(step.id)));
      return [step.id, done ? 'done' : 'retry'] as const;
    });
    const settled = await living.api.post(`/api/plans/${id}/resume`, {
      version,
      steps: Object.fromEntries(verdicts),
    });
    expect(settled.status).toBe(200);
  }
  expect(asked).toBeGreaterThan(0);
  for (const { id } of plans) await living.api.reach(id, 'completed');
  const expected = plans.flatMap(({ title }) => [1, 2, 3, 4].map((step) => lineOf(title, step)));
  expect((await readLog()).toSorted()).toEqual(expected.toSorted());
});
