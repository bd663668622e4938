// Connecting a model in the console, without a restart.
import { createServer } from 'node:http';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#db/database.ts';
import type { SettingsView } from '#domain/settings-view.ts';
import { listenOnLoopback } from '../fixtures/loopback.ts';
import { call, propose } from '../fixtures/model-calls.ts';
import { type OpenAiDouble, start, type Turn } from '../fixtures/openai-double.ts';
import { draftStep } from '../fixtures/steps.ts';
import { openContext } from '../setup/chromium.ts';
import { useDatabase } from '../setup/database.ts';
import { type Program, type Server, usePrograms } from '../setup/process.ts';
import { waitFor } from '../wait.ts';

const database = useDatabase();
const programs = usePrograms();
const key = 'sk-planted-key-of-this-test';
const env = { COUNTERSIGN_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') };
let model: OpenAiDouble;
let refuses = true;
let home: string;
let gateway: Server;
let worker: Program;

beforeAll(async () => {
  model = await start({
    script: ({ messages }): Turn => {
      if (refuses) return { status: 401, message: 'Incorrect API key provided.' };
      const isTest = JSON.stringify(messages).includes('Call the tool');
      if (isTest) return call('ready', { word: 'yes' });
      const step = { id: '1', description: 'Write a', tool: 'workspace', operation: 'write' };
      const args = JSON.stringify({ path: 'a.txt', content: 'A' });
      const steps = [{ ...step, args, after: [] }];
      return propose({
        title: 'By a model',
        summary: 'a.txt is there.',
        steps,
        risks: [],
        confidence: 0.9,
      });
    },
  });
  home = await programs.home({ http: { allowPrivate: ['127.0.0.1'] } });
  gateway = await programs.serve({ home, database: database.url, env, verb: 'gateway' });
  worker = await programs.work({ home, database: database.url, env });
});
afterAll(() => model.close());

const connected = async ({ api }: Pick<Server, 'api'>) =>
  (await api.get<SettingsView>('/api/settings')).body.models.connected;
const send = async (method: string, body?: object) => {
  const answer = await fetch(`${gateway.url}/api/settings/model`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
};
const whenConnected = (isConnected: boolean) =>
  waitFor(
    'the gateway with the other model',
    async () => {
      const found = await connected(gateway).catch(() => undefined);
      return found !== undefined && (found !== null) === isConnected;
    },
    { timeoutMs: 60_000 },
  );

test('a key that the server refuses is not kept', async () => {
  expect(await send('PUT', {})).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  const { body } = await send('PUT', { api_key: key, base_url: model.url });
  expect(body).toMatchObject({ results: [{ state: 'broken' }, { state: 'broken' }] });
  expect(await connected(gateway)).toBe(null);
});

test('a key that works is kept encrypted, and requests are planned with it by every process', async () => {
  refuses = false;
  const { body } = await send('PUT', { api_key: key, base_url: model.url });
  expect(body).toMatchObject({ results: [{ state: 'ok' }, { state: 'ok' }] });
  await whenConnected(true);
  expect(await connected(gateway)).toMatchObject({ key: true, entered_by: expect.any(String) });
  const run = await waitFor(
    'a plan of the model',
    async () => {
      const one = await gateway.api.ask('Put an A somewhere, please');
      return one.plan_id !== undefined && one;
    },
    { timeoutMs: 60_000 },
  );
  expect((await gateway.api.plan(run.plan_id ?? '')).title).toBe('By a model');
  const db = openDatabase(database.url, { max: 1, applicationName: 'test', onError: () => {} });
  const { rows } = await db.query.execute(sql`select * from countersign.model_access`);
  await db.close();
  expect(rows).toHaveLength(1);
  expect(Buffer.from(JSON.stringify(rows)).toString('latin1')).not.toContain(key);
});

test('it is removed, and commands are read again', async () => {
  expect(await send('DELETE')).toMatchObject({ body: { disconnected: true } });
  await whenConnected(false);
  const run = await waitFor(
    'the worker without a model',
    async () => {
      const one = await gateway.api.ask('Put an A somewhere, please');
      return one.plan_id === undefined && one;
    },
    { timeoutMs: 60_000 },
  );
  expect(run.response_text).toContain('“help all” lists all commands');
});

test('a call that runs when the model changes ends, also where a later version has migrated the database', async () => {
  let cutOff = false;
  let came = 0;
  // Outlasts a stopping process's patience.
  const slow = createServer((_request, response) => {
    came += 1;
    const timer = setTimeout(() => response.end('done'), 7000);
    response.once('close', () => {
      clearTimeout(timer);
      cutOff ||= !response.writableFinished;
    });
  });
  const { url, close } = await listenOnLoopback(slow);
  onTestFinished(close);
  const db = openDatabase(database.url, { max: 1, applicationName: 'test', onError: () => {} });
  await db.query.execute(
    sql`insert into countersign_migrations.applied (hash, created_at) values ('x', ${Date.UTC(3000, 0)})`,
  );
  await db.close();
  const plan = await gateway.api.propose({
    title: 'Slow',
    steps: [
      draftStep('slow', 'Send it', 'http_request', {
        method: 'POST',
        url: `${url}/`,
      }),
      draftStep('next', 'Do nothing', 'control_noop', {}, 'slow'),
    ],
  });
  await gateway.api.approve(plan);
  await waitFor('the call', () => came === 1);
  await send('PUT', { api_key: key, base_url: model.url });
  await whenConnected(true);
  await gateway.api.reach(plan.id, 'completed');
  expect({ came, cutOff }).toEqual({ came: 1, cutOff: false });
  expect(worker.stdout().match(/this worker is ready/g)).toHaveLength(4);
});

test('it is connected in an open page, which then no longer says that there is none', async () => {
  await send('DELETE');
  await whenConnected(false);
  const context = await openContext();
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  await page.goto(gateway.url);
  await page.getByText('No model is connected').waitFor();
  await page.getByRole('button', { name: 'connect a model' }).click();
  await page.getByLabel('Key', { exact: true }).fill(key);
  await page.getByLabel('Server, if').fill(model.url);
  await page.getByRole('button', { name: 'Test and connect' }).click();
  await page.getByText('Entered here by').waitFor();
  await page.getByText('No model is connected').waitFor({ state: 'detached' });
  expect(await connected(gateway)).not.toBe(null);
  expect(gateway.isRunning()).toBe(true);
});
