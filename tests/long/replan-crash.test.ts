// kill -9 while a plan corrects itself.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Finding } from '#domain/plan/finding.ts';
import type { Plan } from '#domain/plan/plan.ts';
import { appendTool } from '../fixtures/append-tool.ts';
import { draftStep } from '../fixtures/steps.ts';
import { freshDatabase } from '../setup/database.ts';
import type { Client } from '../setup/http-client.ts';
import { usePrograms } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const programs = usePrograms();
vi.setConfig({ maxConcurrency: 2 });

const append = (id: string, ...after: string[]) =>
  draftStep(id, `Append ${id} to the log`, 'log_append', { line: id }, ...after);

const draft = {
  title: 'A source that changes',
  steps: [
    draftStep('gate', 'Wait for a person', 'human_task', { question: 'Go on?' }),
    draftStep('source', 'Read a.txt', 'workspace_read', { path: 'a.txt' }),
    append('use', 'source'),
    draftStep('look', 'Look again', 'plan_recheck', { steps: ['source'] }, 'gate', 'use'),
    append('last', 'use', 'look'),
  ],
};

const rest = (api: Client, id: string) =>
  waitFor(`${id} to wait`, async () => {
    const plan = await api.plan(id);
    return plan.counts.waiting === 1 && plan.counts.running + plan.counts.ready === 0 && plan;
  });

async function changeAt(point: string) {
  const database = await freshDatabase();
  const place = await programs.home();
  const log = join(place, 'log.txt');
  const home = await programs.home({
    executor: { lease_seconds: 2 },
    mcpServers: { log: appendTool(log) },
  });
  const source = join(home, 'workspace', 'a.txt');
  const options = { home, database: database.url };
  const dying = await programs.serve({ ...options, env: { COUNTERSIGN_CRASH_AT: point } });
  await writeFile(source, 'one');
  const plan = await dying.api.propose(draft);
  expect((await dying.api.approve(plan)).status).toBe(200);
  const waiting = await rest(dying.api, plan.id);
  await writeFile(source, 'two');
  await dying.api.post(`/api/plans/${plan.id}/resume`, {
    version: waiting.version,
    steps: { gate: 'done' },
  });
  expect(await dying.exited).toEqual({ code: null, signal: 'SIGKILL' });
  const server = await programs.serve(options);
  const readLog = async () =>
    (await readFile(log, 'utf8').catch(() => '')).split('\n').filter(Boolean);
  return { database, server, api: server.api, id: plan.id, readLog };
}

async function expectOneTry(api: Client, id: string): Promise<void> {
  const steps = await api.steps(id);
  const tries = steps.filter((step) => step.id.includes('#')).map((step) => step.id);
  expect(tries).toEqual(['replan#1', 'verify#1']);
  const { body } = await api.get<{ findings: Finding[] }>(`/api/plans/${id}/findings`);
  expect(body.findings.map(({ category, status }) => [category, status])).toEqual([
    ['source_changed', 'resolved'],
  ]);
}

describe.concurrent('after kill -9', () => {
  it.for(['patch_verified', 'patch_applied'])(
    'at %s a change that widens waits for one approval, and is carried out once',
    async (point) => {
      const { api, id, readLog, server, database } = await changeAt(point);
      const waiting = await waitFor('the change to wait', async () => {
        const plan: Plan = await api.plan(id);
        return plan.pending_patch !== null && plan.counts.running === 0 && plan;
      });
      expect(await readLog()).toEqual(['use']);
      const { version, digest } = waiting.pending_patch ?? { version: 0, digest: '' };
      await api.approve({ id, version, digest });
      await api.reach(id, 'completed');
      expect(await readLog()).toEqual(['use', 'use', 'last']);
      await expectOneTry(api, id);
      await server.stop();
      await database.close();
    },
  );
});
