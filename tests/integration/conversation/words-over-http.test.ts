// Decisions over HTTP apply to the version read, across two gateways.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Plan } from '#domain/plan/plan.ts';
import type { RunView } from '#domain/planning/run.ts';
import type { Message } from '#domain/service.ts';
import { startApi, type TestApi } from '../../fixtures/api.ts';
import { useDatabase } from '../../setup/database.ts';
import { type Client, createClient } from '../../setup/http-client.ts';
import {
  noop,
  openTestInstance,
  scriptedPlanner,
  type TestInstance,
} from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
let instances: TestInstance[];
let servers: TestApi[];
let api: Client;

const planner = scriptedPlanner(({ text }) => ({
  kind: 'proposal',
  draft: { title: text, steps: [noop('1'), noop('2')] },
}));

beforeAll(async () => {
  const settings = { approvers: ['ana', 'ben', 'mallory'] };
  const open = (work: boolean) => openTestInstance(database.url, { planner, settings, work });
  instances = [await open(true), await open(false)];
  servers = await Promise.all(instances.map(({ service }) => startApi({ service })));
  const [first, second] = servers.map(({ origin }) => origin);
  api = createClient(first ?? '', second ?? '');
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await Promise.all(instances.map((instance) => instance.close()));
});

type Refusal = { code: string; detail: string; current: { version: number; digest: string } };

async function ask(conversation: string, user = 'ana') {
  const run = await api.ask('Do it', { conversation, user });
  return { run, plan: await api.plan(run.plan_id ?? '') };
}

async function addStep({ id }: Plan, user = 'mallory'): Promise<Plan> {
  const { revision } = await api.plan(id);
  const operations = [{ op: 'add_step', step: { ...noop('3'), description: 'Slipped in' } }];
  await api.post(`/api/plans/${id}/patches`, { base_revision: revision, operations, user });
  const now = await api.plan(id);
  expect(now.version).toBe(2);
  return now;
}

const reply = (run: RunView, body: object) =>
  api.post<Refusal>(`/api/runs/${run.run_id}/reply`, body);
const say = (conversation: string, body: object) =>
  api.post<Refusal>(`/api/conversations/${conversation}/messages`, body);

describe('a patch between reading and answering', () => {
  test.each(['approve', 'approve 1-2', 'reject', 'propose changes: Faster'])(
    'is not decided by “%s” in a reply, which reads what is current',
    async (text) => {
      const { run, plan } = await ask(`patched ${text}`);
      const now = await addStep(plan);
      const refused = await reply(run, { text, user: 'ana' });
      expect(refused).toMatchObject({
        status: 409,
        body: { code: 'stale_version', current: { version: 2, digest: now.digest } },
      });
      expect(refused.body.detail).toContain('send its version and digest');
      expect((await api.plan(plan.id)).status).toBe('proposed');
    },
  );

  test('is not approved by the word in its conversation', async () => {
    const { plan } = await ask('talk');
    const now = await addStep(plan);
    expect(await say('talk', { text: 'approve', user: 'ana' })).toMatchObject({
      status: 409,
      body: { code: 'stale_version', current: { version: 2, digest: now.digest } },
    });
    expect((await api.plan(plan.id)).status).toBe('proposed');
    const { body } = await api.get<{ messages: Message[] }>('/api/conversations/talk/messages');
    expect(body.messages.at(-1)).toMatchObject({ author: 'person', text: 'approve' });
  });

  test('is refused when the version and digest of before are named', async () => {
    const { run, plan } = await ask('named');
    await addStep(plan);
    const { version, digest } = plan;
    for (const answer of [
      await reply(run, { text: 'approve', user: 'ana', version, digest }),
      await say('named', { text: 'approve', user: 'ana', version, digest }),
    ]) {
      expect(answer).toMatchObject({ status: 409, body: { code: 'stale_version' } });
      expect(answer.body.current.version).toBe(2);
    }
    expect((await api.plan(plan.id)).status).toBe('proposed');
  });

  test('runs once its own version and digest are named', async () => {
    const { run, plan } = await ask('renamed');
    const { version, digest } = await addStep(plan);
    const answer = await reply(run, { text: 'approve', user: 'ana', version, digest });
    expect(answer.status).toBe(202);
    expect(await api.reach(plan.id, 'completed')).toMatchObject({ version: 2 });
  });
});

test('a new version that somebody else asked for is not approved by who read the one before', async () => {
  const { run, plan } = await ask('revised');
  await api.post(`/api/plans/${plan.id}/propose-changes`, {
    version: 1,
    feedback: 'Also this',
    user: 'mallory',
  });
  await waitFor('version 2', async () => {
    const now = await api.plan(plan.id);
    return now.version === 2 && now.status === 'proposed';
  });
  const refused = { status: 409, body: { current: { version: 2 } } };
  expect(await reply(run, { text: 'approve', user: 'ana' })).toMatchObject(refused);
  expect(await say('revised', { text: 'approve', user: 'ana' })).toMatchObject(refused);
  expect((await api.plan(plan.id)).status).toBe('proposed');
});

test('a second plan in a conversation is not approved by who read the first', async () => {
  const { plan } = await ask('second');
  await api.post(`/api/plans/${plan.id}/cancel`, { version: 1, user: 'ana' });
  const { plan: other } = await ask('second', 'mallory');
  expect(await say('second', { text: 'approve', user: 'ana' })).toMatchObject({
    status: 409,
    body: { current: { version: 1, digest: other.digest } },
  });
  const { version, digest } = other;
  await say('second', { text: 'approve', user: 'ana', version, digest });
  await api.reach(other.id, 'completed');
});

describe('the word alone', () => {
  test('approves the only version there ever was', async () => {
    const { plan } = await ask('only');
    expect((await say('only', { text: 'approve', user: 'ben' })).status).toBe(202);
    await api.reach(plan.id, 'completed');
  });

  test('approves what its author asked for and the run has shown since', async () => {
    const { run, plan } = await ask('own');
    const shown = await api.reply(run.run_id, 'propose changes: Faster', 'ana');
    expect(shown.plan_id).toBe(plan.id);
    expect((await reply(run, { text: 'approve', user: 'ana' })).status).toBe(202);
    expect(await api.reach(plan.id, 'completed')).toMatchObject({ version: 2 });
  });

  test('does not approve what its author asked for and nobody has read', async () => {
    const { run, plan } = await ask('blind');
    await reply(run, { text: 'propose changes: Faster', user: 'ana' });
    await waitFor('version 2', async () => (await api.plan(plan.id)).version === 2);
    expect((await reply(run, { text: 'approve', user: 'ana' })).status).toBe(409);
  });
});

test('a word with steps that were unticked approves the others, and no numbers beside them', async () => {
  const { plan } = await ask('ticks');
  const { version, digest } = plan;
  const shown = { user: 'ana', version, digest, except: ['2'] };
  await say('ticks', { text: 'approve 1-2', ...shown });
  expect((await api.plan(plan.id)).status).toBe('proposed');
  await say('ticks', { text: 'approve', ...shown });
  await api.reach(plan.id, 'completed');
  expect((await api.steps(plan.id)).map(({ id, status }) => [id, status])).toEqual([
    ['1', 'succeeded'],
    ['2', 'cancelled'],
  ]);
});
