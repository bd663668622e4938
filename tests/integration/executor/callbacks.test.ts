// Callbacks: external work that reports its end over HTTP.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { serve } from '#app/serve.ts';
import { defineOperation, z } from '#tools/files/public.ts';
import type { CallContext, CallLater, CallOutput, WorkState } from '#tools/files/types.ts';
import { useDatabase } from '../../setup/database.ts';
import {
  ana,
  noop,
  openTestInstance,
  reach,
  runPlan,
  settleAsRead,
  type TestInstance,
} from '../../setup/instance.ts';
import { checkPlan } from '../../setup/invariants.ts';
import { waitFor } from '../../wait.ts';

const publicUrl = 'https://bot.example.com/countersign';
const database = useDatabase();
let folder: string;
let worker: TestInstance;
let gateway: TestInstance;
let api: Awaited<ReturnType<typeof serve>>['app'];
let origin: string;

type OtherSide = {
  run(context: CallContext): Promise<CallLater | CallOutput>;
  check(): Promise<WorkState>;
  cancel(): Promise<void>;
};
// In call order.
let handed: string[] = [];
const finishesLater: OtherSide = {
  run: async ({ callbackUrl }) => {
    handed.push(await callbackUrl());
    return { later: `job ${handed.length}`, checkAfterMs: 100 };
  },
  check: async () => ({ state: 'running', checkAfterMs: 100 }),
  cancel: async () => {},
};
let other: OtherSide = finishesLater;

const film = (operation: string, effect: 'write' | 'idempotent', polled: boolean) =>
  defineOperation({
    tool: 'film',
    operation,
    description: 'Render a film.',
    effect,
    destructive: false,
    schema: z.strictObject({}),
    output: z.strictObject({ url: z.string() }),
    run: (_, context) => other.run(context),
    cancel: () => other.cancel(),
    ...(polled ? { check: () => other.check() } : {}),
  });

const settings = () => ({ tools: [join(folder, 'film.mjs')] });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-callbacks-'));
  const operations = [
    film('render', 'write', false),
    film('polled', 'write', true),
    film('again', 'idempotent', false),
  ];
  Object.assign(globalThis, { filmForTests: operations });
  await writeFile(join(folder, 'film.mjs'), 'export default globalThis.filmForTests;\n');
  worker = await openTestInstance(database.url, {
    settings: settings(),
    env: { COUNTERSIGN_PUBLIC_URL: publicUrl },
  });
  gateway = await openTestInstance(database.url, { work: false, env: { PORT: '0' } });
  const { config } = gateway;
  ({ app: api } = await serve(gateway, config, pino({ level: 'silent' })));
  const { port } = api.server.address() as AddressInfo;
  origin = `http://127.0.0.1:${port}`;
});
beforeEach(() => {
  handed = [];
  other = finishesLater;
});
afterAll(async () => {
  Reflect.deleteProperty(globalThis, 'filmForTests');
  await api.close();
  await gateway.close();
  await worker.close();
  await rm(folder, { recursive: true });
});

const render = (operation = 'render', id = 'a') => ({
  id,
  description: 'Render it',
  tool: 'film',
  operation,
  args: {},
});
const result = { summary: 'Rendered.', data: { url: 'https://films.example.com/1' } };

// A proxy strips the base path.
async function callBack(address: string | undefined, body: unknown) {
  if (address === undefined) throw new Error('no address was handed over');
  const response = await fetch(address.replace(publicUrl, origin), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const { code, detail } = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  return { status: response.status, ...(text === '' ? {} : { code, detail }) };
}

const readStep = async (id: string, step = 'a') => {
  const [found] = await worker.service.getSteps(id, [step]);
  if (found === undefined) throw new Error(`no step ${step}`);
  return found;
};

async function waitForStatus(id: string, status: string) {
  return waitFor(`the step to be ${status}`, async () => {
    const step = await readStep(id);
    return step.status === status ? step : null;
  });
}

// Returns once no worker holds the step.
async function begin(operation = 'render', ...more: ReturnType<typeof noop>[]) {
  const { id } = await runPlan(worker, { title: 'Film', steps: [render(operation), ...more] });
  await waitFor('the work to go on without a worker', async () => {
    const { rows } = await worker.db.query.execute(sql`
      select 1 from countersign.step_states where plan_id = ${id} and status = 'running'
        and lease_owner = 'later' and lease_until is null`);
    return rows.length === 1;
  });
  return { id, address: handed.at(-1) };
}

const isQuiet = () =>
  waitFor('the worker to hold no lease', () => worker.vitals()?.leasesQuietMs === 0);

async function readRecord(id: string) {
  const entries = await worker.service.audit(id, { limit: 100 });
  const { rows } = await worker.db.query.execute<{ n: number }>(sql`
    select count(*)::int as n from countersign.step_attempts where plan_id = ${id} and position = 1`);
  const actions = entries.map(({ action }) => action);
  return {
    taken: actions.filter((action) => action === 'callback_taken').length,
    refused: actions.filter((action) => action === 'settle_refused').length,
    attempts: rows[0]?.n,
  };
}
const once = { taken: 1, refused: 0, attempts: 1 };

test('a result settles the step at once, and what waits for it runs', async () => {
  const { id, address } = await begin('render', noop('b', 'a'));
  expect(address).toMatch(
    /^https:\/\/bot\.example\.com\/countersign\/api\/callbacks\/[0-9a-f]{64}$/,
  );
  const { rows } = await worker.db.query.execute<{ token_hash: string }>(
    sql`select token_hash from countersign.step_callbacks where plan_id = ${id}`,
  );
  expect(rows).toHaveLength(1);
  expect(address).not.toContain(rows[0]?.token_hash);
  const card = await (await fetch(`${origin}/api/plans/${id}/card`)).text();
  expect(card).toContain('film is working on it');

  expect(await callBack(address, result)).toEqual({ status: 204 });
  expect(await readStep(id)).toMatchObject({
    status: 'succeeded',
    result_summary: 'Rendered.',
    output: result.data,
    attempt: 1,
  });
  await reach(worker, id, 'completed');
  expect(await readRecord(id)).toEqual(once);
  await checkPlan(worker.db.query, id);
});

test('an error fails the step with its sentence', async () => {
  const { id, address } = await begin();
  expect(await callBack(address, { error: 'The source is no film.' })).toEqual({ status: 204 });
  await reach(worker, id, 'failed');
  expect((await readStep(id)).error).toMatchObject({
    code: 'tool_failed',
    message: 'The source is no film.',
  });
});

test('what is no result changes nothing, and the step goes on waiting', async () => {
  const { id, address } = await begin();
  for (const [body, status] of [
    [{ data: { url: 1 } }, 422],
    [{ data: { url: { $from: 'x', path: '/y' } } }, 422],
    [{ data: { url: 'x', more: true } }, 422],
    [{ data: {}, error: 'both' }, 400],
    ['{', 400],
    [{ data: { url: 'x'.repeat(1_100_000) } }, 413],
  ] as const)
    expect(await callBack(address, body)).toMatchObject({ status });
  expect(await callBack(address, { data: {} })).toMatchObject({
    code: 'invalid_arguments',
    detail: 'This is no result of film_render: url is missing. The step keeps waiting.',
  });
  expect(await readStep(id)).toMatchObject({ status: 'running' });
  expect(await callBack(address, result)).toEqual({ status: 204 });
  await reach(worker, id, 'completed');
});

test('the same result again is fine, another one is refused, and an unknown address is none', async () => {
  const { id, address } = await begin();
  expect(await callBack(address, result)).toEqual({ status: 204 });
  const { data, summary } = result;
  expect(await callBack(address, { data, summary })).toEqual({ status: 204 });
  expect(await callBack(address, { error: 'No.' })).toMatchObject({
    status: 410,
    code: 'callback_over',
    detail: 'This step was settled with another result already. Nothing was changed.',
  });
  expect(await callBack(`${publicUrl}/api/callbacks/${'0'.repeat(64)}`, result)).toMatchObject({
    status: 404,
    code: 'not_found',
  });
  expect(await readRecord(id)).toEqual(once);
});

test('of many results at the same moment one counts', async () => {
  const { id, address } = await begin();
  const same = await Promise.all(Array.from({ length: 4 }, () => callBack(address, result)));
  expect(same).toEqual(Array.from({ length: 4 }, () => ({ status: 204 })));
  expect(await readRecord(id)).toEqual(once);

  const { id: second, address: next } = await begin();
  const bodies = [1, 2, 3, 4].map((n) => ({ data: { url: `https://films.example.com/${n}` } }));
  const statuses = (await Promise.all(bodies.map((body) => callBack(next, body)))).map(
    ({ status }) => status,
  );
  expect(statuses.toSorted()).toEqual([204, 410, 410, 410]);
  const { output } = await readStep(second);
  expect(output).toEqual(bodies[statuses.indexOf(204)]?.data);
  expect(await readRecord(second)).toEqual(once);
});

describe('a result that comes before the call has come back', () => {
  test('settles the step; that the work goes on is no news then', async () => {
    other = {
      ...finishesLater,
      async run(context) {
        const later = await finishesLater.run(context);
        expect(await callBack(handed[0], result)).toEqual({ status: 204 });
        return later;
      },
    };
    const plan = { title: 'Film', steps: [render(), noop('b', 'a')] };
    const { id } = await runPlan(worker, plan);
    await reach(worker, id, 'completed');
    await isQuiet();
    expect(await readStep(id)).toMatchObject({ status: 'succeeded', attempt: 1 });
    expect(await readRecord(id)).toEqual(once);
    expect(handed).toHaveLength(1);
    await checkPlan(worker.db.query, id);
  });

  test('counts, even where the call fails afterwards', async () => {
    let failed = false;
    other = {
      ...finishesLater,
      async run(context) {
        await finishesLater.run(context);
        await callBack(handed[0], result);
        failed = true;
        throw new Error('The connection broke.');
      },
    };
    const { id } = await runPlan(worker, { title: 'Film', steps: [render()] });
    await reach(worker, id, 'completed');
    await waitFor('the call to fail', () => failed);
    await isQuiet();
    expect(await readStep(id)).toMatchObject({ status: 'succeeded', error: null });
    expect(await readRecord(id)).toEqual(once);
  });
});

describe('beside a poll', () => {
  test('the first word counts, and the same news twice settles once', async () => {
    // Polls are sequential, so earlier results are settled.
    const done: WorkState = { state: 'done', output: result };
    const lost: WorkState = { state: 'lost', message: 'Nobody knows this job.' };
    const ids: string[] = [];
    for (const answer of [done, lost]) {
      let asked = false;
      other = {
        ...finishesLater,
        async check() {
          expect(await callBack(handed.at(-1), result)).toEqual({ status: 204 });
          asked = true;
          return answer;
        },
      };
      const { id } = await runPlan(worker, { title: 'Film', steps: [render('polled')] });
      await waitFor('the poll', () => asked);
      await reach(worker, id, 'completed');
      ids.push(id);
    }
    let asked = false;
    other = {
      ...finishesLater,
      async check() {
        asked = true;
        return { state: 'running' };
      },
    };
    const { id: next } = await begin('polled');
    await waitFor('the next round of polls', () => asked);
    await worker.service.cancel(next, { version: 1 }, ana);
    await waitForStatus(next, 'cancelled');
    for (const id of ids) {
      expect(await readStep(id)).toMatchObject({ status: 'succeeded' });
      expect(await readRecord(id)).toEqual(once);
      await checkPlan(worker.db.query, id);
    }
  });

  test('a poll alone is enough, and the callback comes too late then', async () => {
    other = { ...finishesLater, check: async () => ({ state: 'done', output: result }) };
    const { id } = await runPlan(worker, { title: 'Film', steps: [render('polled')] });
    await reach(worker, id, 'completed');
    expect(await callBack(handed[0], result)).toMatchObject({
      status: 410,
      detail: expect.stringContaining('This step no longer accepts a result'),
    });
    expect(await readRecord(id)).toEqual({ taken: 0, refused: 0, attempts: 1 });
  });
});

describe('of a plan that is stopped', () => {
  test('a result that comes before the work is told to stop is kept; later ones are refused', async () => {
    other = {
      ...finishesLater,
      async cancel() {
        expect(await callBack(handed[0], result)).toEqual({ status: 204 });
      },
    };
    const { id } = await begin();
    const { version } = await worker.service.getPlan(id);
    await worker.service.cancel(id, { version }, ana);
    expect(await waitForStatus(id, 'succeeded')).toMatchObject({ output: result.data });
    expect((await worker.service.getPlan(id)).status).toBe('cancelled');

    other = finishesLater;
    const { id: second, address } = await begin();
    await worker.service.cancel(second, { version: 1 }, ana);
    await waitForStatus(second, 'cancelled');
    expect(await callBack(address, result)).toMatchObject({ status: 410, code: 'callback_over' });
  });

  test('a pause keeps what comes next, not the result', async () => {
    const { id, address } = await begin('render', noop('b', 'a'));
    await worker.service.pause(id, { version: 1 }, ana);
    expect(await callBack(address, result)).toEqual({ status: 204 });
    expect(await readStep(id)).toMatchObject({ status: 'succeeded' });
    expect(await readStep(id, 'b')).toMatchObject({ status: 'ready' });
    await worker.service.resume(id, { version: 1 }, ana);
    await reach(worker, id, 'completed');
  });
});

describe('after the time limit of its step', () => {
  const haveBegunLongAgo = (id: string) =>
    worker.db.query.execute(sql`
      update countersign.step_states set started_at = started_at - interval '25 hours', available_at = now()
      where plan_id = ${id}`);

  test('a write is unknown: the person who is asked reads the result, once', async () => {
    const { id, address } = await begin();
    await haveBegunLongAgo(id);
    await waitForStatus(id, 'unknown');
    for (let time = 0; time < 2; time += 1)
      expect(await callBack(address, result)).toMatchObject({
        status: 410,
        detail: expect.stringContaining('they are shown this result'),
      });
    await callBack(address, { error: 'Something else.' });
    const { question } = await readStep(id);
    expect(question?.split('The other side reported later')).toHaveLength(2);
    expect(question).toContain('reported later that it succeeded: Rendered.');
    await settleAsRead(worker, id, { a: 'done' });
    await reach(worker, id, 'completed');
  });

  test('what was tried again waits for its own result only', async () => {
    const { id, address: first } = await begin('again');
    await haveBegunLongAgo(id);
    await reach(worker, id, 'failed');
    await worker.service.retry(id, { version: 1 }, ana);
    const second = await waitFor('the second address', () => handed[1]);
    expect(await callBack(first, result)).toMatchObject({ status: 410 });
    expect(await callBack(second, result)).toEqual({ status: 204 });
    await reach(worker, id, 'completed');
    expect(await readStep(id)).toMatchObject({ status: 'succeeded', attempt: 2 });
  });

  test('an address is over even while nobody has noticed', async () => {
    const { id, address } = await begin();
    await worker.db.query.execute(
      sql`update countersign.step_callbacks set expires_at = now() - interval '1 second' where plan_id = ${id}`,
    );
    expect(await callBack(address, result)).toMatchObject({
      status: 410,
      detail: 'This result came after the time limit of its step. Nothing was changed.',
    });
    await worker.service.cancel(id, { version: 1 }, ana);
    await waitForStatus(id, 'cancelled');
  });
});

test('work that nothing can tell of is not waited for', async () => {
  other = { ...finishesLater, run: async () => ({ later: 'job 1' }) };
  const { id } = await runPlan(worker, { title: 'Film', steps: [render()] });
  const { question } = await waitForStatus(id, 'unknown');
  expect(question).toContain('has no `check` and never asked for a callback URL');
});

describe('without a public address', () => {
  beforeAll(async () => {
    await worker.close();
    worker = await openTestInstance(database.url, { settings: settings() });
  });

  test('no work is begun, and the step says what to set', async () => {
    const { id } = await runPlan(worker, { title: 'Film', steps: [render()] });
    await reach(worker, id, 'failed');
    expect((await readStep(id)).error?.message).toContain(
      'Set COUNTERSIGN_PUBLIC_URL for the workers',
    );
    expect(handed).toEqual([]);
  });
});
