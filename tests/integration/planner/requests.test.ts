// Data requests: filed by a planner, fulfilled by a worker.
import { sql } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { fileRequest, giveRequests } from '#db/people/data-requests.ts';
import { systemRandom } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import { fulfilRequest } from '#planner/reads/data-requests.ts';
import { describeData } from '#planner/tools/request-data.ts';
import { defineOperation } from '#tools/define-operation.ts';
import { call, resultsIn } from '../../fixtures/model-calls.ts';
import type { Turn } from '../../fixtures/openai-double.ts';
import { ana } from '../../setup/instance.ts';
import { useModelInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const rows = Array.from({ length: 300 }, (_, index) => ({
  id: index + 1,
  name: `Customer ${index + 1}`,
}));
let instead: ((signal: AbortSignal) => Promise<never>) | null = null;

const orders = defineOperation({
  tool: 'shop',
  operation: 'orders',
  description: 'List all orders.',
  effect: 'read',
  destructive: false,
  schema: z.strictObject({ shop: z.string() }),
  async run(_, { signal }) {
    if (instead !== null) await instead(signal);
    return { summary: 'Found 300 orders.', data: { rows, shop: 'north' } };
  },
});

const instance = useModelInstance({ extraOperations: [orders] });
beforeEach(() => {
  instead = null;
});

const request = (args: object = { shop: 'north' }) =>
  call('request_data', { operation: 'shop_orders', args, why: 'every order gets a letter' });
const letters = (artifact: string): Turn => ({
  calls: [
    {
      name: 'for_each',
      args: {
        id: 'l',
        title: 'A letter for each order',
        artifact,
        list: '/rows',
        step: {
          description: 'Write to {{item/name}}',
          operation: 'workspace_write',
          args: { path: 'letters/{{item/id}}.md', content: 'Dear {{item/name}}' },
        },
      },
    },
    {
      name: 'add_steps',
      args: {
        steps: [
          {
            id: 'w',
            description: 'Keep the first order',
            operation: 'workspace_write',
            args: { path: 'first.md', content: { $artifact: artifact, path: '/rows/0/name' } },
          },
        ],
      },
    },
    { name: 'submit_plan', args: { title: 'Letters', confidence: 0.9 } },
  ],
});

async function readRows() {
  const { rows: found } = await instance.db.query.execute<{
    id: string;
    run_id: string;
    plan_id: string | null;
    status: string;
    operation: string;
    summary: string;
    artifact_id: string | null;
  }>(sql`select * from countersign.plan_requests order by created_at desc`);
  return found;
}

test('what was requested becomes an artifact of the plan, of which the model sees a sample and steps take the rest', async () => {
  let shown = '';
  instance.play((body, index) => {
    if (index === 0) return request();
    shown = resultsIn(body).at(-1) ?? '';
    return letters(/art-[0-9a-f]+/.exec(shown)?.[0] ?? '');
  });
  const run = await instance.ask('Write a letter for every order', { planning_mode: 'extensive' });
  expect(run).toMatchObject({ planning_status: 'needs_clarification' });
  const planId = run.plan_id ?? '';
  expect(await instance.service.overview(planId)).toMatchObject({ counts: { pending: 301 } });
  expect(shown).toContain('list of 300');
  expect(shown).toContain('Customer 1');
  expect(shown).not.toContain('Customer 4');
  const [filed] = await instance.service.listRequests(planId);
  expect(filed).toMatchObject({
    status: 'fulfilled',
    operation: 'shop_orders',
    purpose: 'every order gets a letter',
    summary: 'Found 300 orders.',
  });
  const { content } = await instance.service.readArtifact(planId, filed?.artifact_id ?? '');
  expect(JSON.parse(Buffer.from(content).toString())).toEqual({ rows, shop: 'north' });
  const { version = 0, digest = '' } = await instance.service.getPlan(planId);
  await instance.service.approve(planId, { version, digest }, ana);
  await waitFor('the letters', async () => {
    const { status } = await instance.service.getPlan(planId);
    return status === 'completed';
  });
  expect(await instance.files()).toMatchObject({
    'first.md': 'Customer 1',
    'letters/300.md': 'Dear Customer 300',
  });
});

test('the same request of a run is filed once, however many ask at the same time', async () => {
  const file = (id: string) =>
    instance.db.transaction((tx) =>
      fileRequest(tx, {
        id,
        runId: 'run-same',
        key: 'same',
        operation: 'shop_orders',
        args: { shop: 'north' },
        purpose: 'once',
      }),
    );
  const filed = await Promise.all(['REQ-1', 'REQ-2', 'REQ-3'].map(file));
  expect(filed.filter(({ isNew }) => isNew)).toHaveLength(1);
  expect(new Set(filed.map(({ request }) => request.id)).size).toBe(1);
});

test('a request that would change something is to be a step of the plan', async () => {
  const answers: string[] = [];
  instance.play((body, index) => {
    answers.push(resultsIn(body).at(-1) ?? '');
    return index === 0
      ? call('request_data', {
          operation: 'workspace_write',
          args: { path: 'a.md', content: 'x' },
          why: 'I need it',
        })
      : call('answer', { text: 'No.' });
  });
  await instance.ask('Write a.md');
  expect(answers[1]).toContain('it has to be a step of the plan');
  expect((await readRows()).some(({ operation }) => operation === 'workspace_write')).toBe(false);
});

test('a request that fails says why', async () => {
  instead = () => Promise.reject(new CountersignError('tool_failed', 'The shop is closed.'));
  let message = '';
  instance.play((body, index) => {
    message = resultsIn(body).at(-1) ?? '';
    return index === 0 ? request() : call('answer', { text: 'No.' });
  });
  await instance.ask('Which orders are there?');
  expect(message).toContain('The shop is closed.');
  expect((await readRows())[0]).toMatchObject({ status: 'failed', artifact_id: null });
});

test('a planner that waits for data ends at once when it is stopped', async () => {
  const begun = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  instead = async () => {
    begun.resolve();
    await release.promise;
    throw new CountersignError('tool_failed', 'It is too late.');
  };
  instance.play([request()]);
  const { run_id } = await instance.service.startRun({ text: 'List all orders' }, ana);
  await begun.promise;
  await instance.service.stopRun(run_id, undefined, ana);
  expect((await instance.service.getRun(run_id)).planning_status).toBe('aborted');
  release.resolve();
  await waitFor('the request to end', async () => (await readRows())[0]?.status === 'failed');
});

test('what is fetched after the plan was made belongs to it, and coming twice changes nothing', async () => {
  const [done] = (await readRows()).filter(({ plan_id }) => plan_id !== null);
  const { db } = instance;
  const file = (id: string, runId: string) =>
    db.query.execute(sql`
      insert into countersign.plan_requests (id, run_id, key, operation, args, purpose)
      values (${id}, ${runId}, ${id}, 'shop_orders', '{"shop":"north"}', 'late')`);
  await db.query.execute(sql`
    insert into countersign.runs (id, "user", via, conversation, planning_status, request, modes)
    values ('run-late', 'ana', 'api', 'late', 'complete', 'orders', '{}')`);
  await file('REQ-late', 'run-late');
  await db.transaction((tx) => giveRequests(tx, 'run-late', done?.plan_id ?? ''));
  let calls = 0;
  const read = async () => {
    calls += 1;
    return { summary: `Call ${calls}`, data: { calls } };
  };
  const { signal } = new AbortController();
  const fulfil = () =>
    fulfilRequest({ db, random: systemRandom, callOf: () => read }, 'REQ-late', signal);
  await Promise.all([fulfil(), fulfil()]);
  await fulfil();
  const late = (await readRows()).find(({ id }) => id === 'REQ-late');
  expect(late).toMatchObject({ status: 'fulfilled', plan_id: done?.plan_id });
  const { rows: kept } = await db.query.execute<{ plan_id: string }>(
    sql`select plan_id from countersign.artifacts where run_id = 'run-late'`,
  );
  expect(kept).toEqual([{ plan_id: done?.plan_id }]);
});

test('a sample says the shape of what came and shows its first items', () => {
  expect(describeData({ 'a/b': [1, 2, 3, 4], note: 'Hello', none: null })).toEqual({
    shape: { 'a/b': 'list of 4', note: 'text of 5 characters', none: 'null' },
    list: '/a~1b',
    first: [1, 2, 3],
  });
  expect(describeData(['x'.repeat(900)])).toMatchObject({ shape: 'list of 1', list: '' });
  expect(describeData('word '.repeat(400))).toMatchObject({ shape: 'text of 2,000 characters' });
});

test('a long output is kept whole, and is searched and paged', async () => {
  const long = Array.from({ length: 3000 }, (_, nth) => ({ id: nth, name: `Customer ${nth}` }));
  rows.push(...long);
  instance.play((_, index) => {
    if (index === 0) return call('read', { operation: 'shop_orders', args: { shop: 'long' } });
    const [first = ''] = resultsIn(instance.requests()[1] ?? { model: '', messages: [] });
    const artifact = /art-[0-9a-f]+/.exec(first)?.[0] ?? '';
    if (index > 1) return call('answer', { text: 'Found.' });
    const find = { artifact, find: 'Customer 2999' };
    return call('read', { operation: 'artifact_read', args: find });
  });
  await instance.ask('Who is the last customer?');
  const [first = '', second = ''] = resultsIn(
    instance.requests().at(-1) ?? { model: '', messages: [] },
  );
  expect(first.length).toBeLessThan(14_000);
  expect(second).toContain('Customer 2999');
  rows.length -= long.length;
});
