// kill -9 while a model changes a running plan.
import { sql } from 'drizzle-orm';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '#db/database.ts';
import { crashPoints } from '#domain/crash-points.ts';
import type { Finding } from '#domain/plan/finding.ts';
import { type ChatBody, start, type Turn } from '../fixtures/openai-double.ts';
import { draftStep } from '../fixtures/steps.ts';
import { freshDatabase } from '../setup/database.ts';
import { usePrograms } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const programs = usePrograms();
vi.setConfig({ maxConcurrency: 2 });
const closers: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closers) await close();
});

const noop = (id: string, ...after: string[]) =>
  draftStep(id, `Do nothing (${id})`, 'control_noop', {}, ...after);
const draft = {
  title: 'A list that is wrong',
  steps: [
    noop('list'),
    draftStep('gate', 'Wait for a person', 'human_task', { question: 'Go on?' }),
    noop('other', 'gate'),
    noop('last', 'list', 'gate'),
  ],
};
const finding = {
  severity: 'ERROR',
  category: 'reported',
  message: 'The list is not the right one.',
  step_id: 'list',
};

// Reads first, then leaves out stale steps.
const answer = ({ messages }: ChatBody): Turn =>
  messages.at(-1)?.role === 'user'
    ? { calls: [{ name: 'affected_steps', args: {} }] }
    : { calls: [{ name: 'propose_patch', args: { why: 'Leave it out.', remove: ['last'] } }] };

// No rule settles the finding.
async function raiseFinding(script: (body: ChatBody, index: number) => Turn, point?: string) {
  const database = await freshDatabase();
  const model = await start({ script });
  closers.push(model.close);
  const options = {
    home: await programs.home({ executor: { lease_seconds: 2 } }),
    database: database.url,
    env: { OPENAI_BASE_URL: model.url },
  };
  const dying = await programs.serve({
    ...options,
    env: { ...options.env, ...(point === undefined ? {} : { COUNTERSIGN_CRASH_AT: point }) },
  });
  const { id, version, digest } = await dying.api.propose(draft);
  expect((await dying.api.approve({ id, version, digest })).status).toBe(200);
  await waitFor('the plan to wait', async () => {
    const { counts } = await dying.api.plan(id);
    return counts.waiting === 1 && counts.succeeded === 1;
  });
  expect((await dying.api.post(`/api/plans/${id}/findings`, finding)).status).toBeLessThan(300);
  return { database, model, options, dying, id };
}

async function resume({ database, options, id }: Awaited<ReturnType<typeof raiseFinding>>) {
  const server = await programs.serve(options);
  const { api } = server;
  await waitFor(
    'the finding to be settled',
    async () => {
      const { body } = await api.get<{ findings: Finding[] }>(`/api/plans/${id}/findings`);
      return body.findings.every(({ status }) => status === 'resolved');
    },
    { timeoutMs: 30_000 },
  );
  const { version } = await api.plan(id);
  await api.post(`/api/plans/${id}/resume`, { version, steps: { gate: 'done' } });
  await api.reach(id, 'completed');
  const steps = await api.steps(id);
  expect(steps.map((step) => [step.id, step.status])).toEqual([
    ['list', 'succeeded'],
    ['gate', 'succeeded'],
    ['other', 'succeeded'],
    ['last', 'cancelled'],
    ['replan#1', 'succeeded'],
    ['verify#1', 'succeeded'],
  ]);
  const db = openDatabase(database.url, { max: 1, applicationName: 'test', onError: () => {} });
  const { rows } = await db.query.execute<{ calls: number }>(
    sql`select count(*)::int as calls from countersign.spending where plan_id = ${id} and usd > 0`,
  );
  await db.close();
  await server.stop();
  await database.close();
  return rows[0]?.calls;
}

describe.concurrent('replanning by a model, after kill -9', () => {
  it.for(crashPoints.replanning)('at %s pays for no reply twice', async (point) => {
    const scene = await raiseFinding(answer, point);
    expect(await scene.dying.exited).toEqual({ code: null, signal: 'SIGKILL' });
    expect(scene.model.requests).toHaveLength(2);
    expect(await resume(scene)).toBe(2);
    expect(scene.model.requests).toHaveLength(2);
  });

  it('between two replies asks again only for the one that had not come', async () => {
    const scene = await raiseFinding((body, index) =>
      index === 1 ? { hang: true } : answer(body),
    );
    await waitFor('the second request', () => scene.model.requests.length === 2);
    expect(await scene.dying.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
    await resume(scene);
    const looking = scene.model.requests.filter(({ messages }) => messages.at(-1)?.role === 'user');
    expect(looking).toHaveLength(1);
    expect(scene.model.requests).toHaveLength(3);
  });
});
