// Two organisations on one instance, from request to file.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findUnreached } from '#app/unreached-settings.ts';
import { serveWithin } from '#conversation/serve-within.ts';
import { followTenancy } from '#db/people/tenancy.ts';
import { storeEndpoints } from '#db/webhooks.ts';
import type { Actor } from '#domain/people/actor.ts';
import { Settings } from '#domain/settings.ts';
import { settled } from '../../fixtures/model-instance.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, ben, openTestInstance, runPlan, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
const [one, two] = ['slack:T1', 'slack:T2'] as const;
const ofOne: Actor = { ...ana, tenant: one };
const ofTwo: Actor = { ...ben, tenant: two };
const secret = 'Quetzal';
const severalWorkspaces = {
  SLACK_API_URL: 'http://127.0.0.1:9/api/',
  SLACK_CLIENT_ID: '1.2',
  SLACK_CLIENT_SECRET: 'client-secret-of-tests',
  SLACK_STATE_SECRET: 'state-secret-of-the-tests',
  SLACK_SIGNING_SECRET: 'signing-secret-of-tests',
  SLACK_ALLOWED_WORKSPACES: 'any',
  COUNTERSIGN_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  COUNTERSIGN_PUBLIC_URL: 'http://127.0.0.1:3978',
};

let workspace: string;
let gateway: TestInstance;
let worker: TestInstance;

beforeAll(async () => {
  workspace = await mkdtemp(join(tmpdir(), 'countersign-shared-'));
  await writeFile(join(workspace, 'operator.md'), secret);
  // Starts first, so that it has to be notified.
  worker = await openTestInstance(database.url, { workspace });
  gateway = await openTestInstance(database.url, {
    workspace,
    work: false,
    env: severalWorkspaces,
  });
});
afterAll(async () => {
  await worker.close();
  await gateway.close();
  await rm(workspace, { recursive: true });
});

async function ask(actor: Actor, text: string): Promise<string> {
  const { service } = gateway;
  const { run_id } = await service.startRun({ text, user: actor.id }, actor);
  const run = await settled(gateway, run_id);
  const plan = run.plan_id === undefined ? null : await service.getSteps(run.plan_id, []);
  return JSON.stringify([run, plan]);
}

const writing = (path: string, content: string) => ({
  title: `Write ${path}`,
  steps: [draftStep('w', 'Write it', 'workspace_write', { path, content })],
});
const end = (id: string) =>
  waitFor(`${id} to end`, async () => {
    const plan = await gateway.service.getPlan(id);
    return ['completed', 'failed'].includes(plan.status) && plan;
  });

describe('what one organisation has written', () => {
  beforeAll(async () => {
    const { id } = await runPlan(gateway, writing('secret-of-T1.md', secret), ofOne);
    expect((await end(id)).status).toBe('completed');
  });

  test('is in a folder of its own, also where the worker serves no chat', async () => {
    expect(await readdir(workspace)).toEqual(['.countersign', 'operator.md']);
    const [folder = ''] = await readdir(join(workspace, '.countersign/organisations'));
    const path = join(workspace, '.countersign/organisations', folder, 'secret-of-T1.md');
    expect(await readFile(path, 'utf8')).toBe(secret);
  });

  test('is read by its people, and by nobody else', async () => {
    expect(await ask(ofOne, 'Read secret-of-T1.md')).toContain(secret);
    for (const text of [
      'Read secret-of-T1.md',
      'Read operator.md',
      'List files',
      'Copy secret-of-T1.md to mine.md',
    ])
      expect((await ask(ofTwo, text)).replaceAll(text, '')).not.toContain(secret);
    expect(await ask(ofTwo, 'List files')).not.toContain('.md');
  });

  test('is not there for a plan of others, when it is proposed, shown, patched and run', async () => {
    const { service } = gateway;
    const theirs = serveWithin(service, { tenant: two, reader: 'ben' });
    const read = (id: string) =>
      draftStep(id, 'Read it', 'workspace_read', { path: 'secret-of-T1.md' });
    const plan = await theirs.propose(
      {
        title: 'Read and overwrite',
        steps: [
          read('r'),
          {
            ...writing('secret-of-T1.md', 'mine').steps[0],
            id: 'w',
            description: 'Write',
            tool: 'workspace',
            operation: 'write',
            after: ['r'],
          },
        ],
      },
      { user: 'ben' },
      ofTwo,
    );
    const [first, second] = await theirs.getSteps(plan.id, ['r', 'w']);
    expect([first?.seen?.state, second?.seen?.state]).toEqual(['missing', 'new']);
    expect(await theirs.previewSteps(plan.id, ['r', 'w'])).toEqual([
      expect.objectContaining({
        step_id: 'w',
        file: expect.objectContaining({ found: 'nothing' }),
      }),
    ]);
    const { problems } = await theirs.simulate(plan.id, {}, ofTwo);
    expect(problems).toEqual([]);
    await theirs.patch(
      plan.id,
      { base_revision: plan.revision, operations: [{ op: 'add_step', step: read('again') }] },
      ofTwo,
    );
    const now = await theirs.getPlan(plan.id);
    await theirs.approve(plan.id, { version: now.version, digest: now.digest }, ofTwo);
    await end(plan.id);
    const shown = await Promise.all([
      theirs.getSteps(plan.id, ['r', 'w', 'again']),
      theirs.card(plan.id, { user: 'ben', timezone: 'UTC' }),
      theirs.trace(plan.id),
    ]);
    expect(JSON.stringify(shown)).not.toContain(secret);
    const [folder = ''] = await readdir(join(workspace, '.countersign/organisations'));
    expect(folder).toMatch(/^slack-T1-/);
    const path = join(workspace, '.countersign/organisations', folder, 'secret-of-T1.md');
    expect(await readFile(path, 'utf8')).toBe(secret);
  });

  test('stays out of a plan that is run again, exported or turned into a playbook by others', async () => {
    const { id } = await runPlan(gateway, writing('other.md', secret), ofOne);
    await end(id);
    const { service } = gateway;
    await service.savePlaybook(id, { name: 'ours', params: {}, defaults: {} }, ofOne);
    for (const text of [
      `Run ${id} again`,
      'run playbook ours',
      'list playbooks',
      `What does ${id} do?`,
    ])
      expect(await ask(ofTwo, text)).not.toContain(secret);
    const theirs = serveWithin(service, { tenant: two, reader: 'ben' });
    for (const look of [
      () => theirs.readArtifact(id, 'A'),
      () => theirs.listArtifacts(id, { limit: 5 }),
      () => theirs.exportLog(id)[Symbol.asyncIterator]().next(),
      () => theirs.exportMarkdown(id)[Symbol.asyncIterator]().next(),
      () => theirs.watchPlan(id, 0, AbortSignal.timeout(1000))[Symbol.asyncIterator]().next(),
    ])
      await expect(look()).rejects.toMatchObject({ code: 'plan_not_found' });
  });
});

test('a webhook is told of the plans of those that it names, or of all', async () => {
  const { db, service } = gateway;
  const webhook = { url: 'http://127.0.0.1:9/', events: null };
  await db.transaction((tx) =>
    storeEndpoints(tx, [
      { ...webhook, id: 'unnamed' },
      { ...webhook, id: 'of-one', organisations: [one] },
      { ...webhook, id: 'shared', shared: true },
    ]),
  );
  const toldOf = async (actor: Actor) => {
    const { id } = await service.propose(writing('a.md', 'x'), { user: actor.id }, actor);
    const { rows } = await db.query.execute<{ endpoint: string }>(sql`
      select endpoint from countersign.webhook_deliveries where plan_id = ${id} order by endpoint`);
    return rows.map(({ endpoint }) => endpoint);
  };
  expect(await toldOf(ofOne)).toEqual(['of-one', 'shared']);
  expect(await toldOf(ofTwo)).toEqual(['shared']);
  expect(await toldOf(ana)).toEqual(['shared', 'unnamed']);
  await db.transaction((tx) => storeEndpoints(tx, []));
});

test('settings that no organisation reaches are named at the start, those that are said to be shared are not', () => {
  const settings = Settings.parse({
    mcpServers: { lost: { command: 'x' }, found: { command: 'x', shared: true } },
    calendars: { lost: 'a.ics', found: { at: 'b.ics', organisations: [one] } },
    tools: ['lost.ts', { file: 'found.ts', shared: true }],
    webhooks: [{ url: 'https://lost.example.com/', secret: 'sixteen-characters' }],
  });
  const lost = findUnreached(settings, { apart: true, owners: [] });
  expect(lost.map((text) => text.split(' serves')[0])).toEqual([
    'mcpServers.lost',
    'calendars.lost',
    'tools: lost.ts',
    'webhooks: lost.example.com',
  ]);
  expect(findUnreached(settings, { apart: true, owners: [one] })).toEqual([]);
  expect(findUnreached(settings, { apart: false, owners: [] })).toEqual([]);
});

describe('whose the folder is that was there before', () => {
  /** @param shared the stored tenancy, or null if none */
  async function settle(
    asked: (string | null)[],
    shared: boolean | null,
    configured: boolean | null,
  ) {
    const { db, listener } = gateway;
    await db.query.execute(sql`delete from countersign.runs`);
    await db.query.execute(sql`delete from countersign.plans`);
    await db.query.execute(sql`delete from countersign.tenancy`);
    for (const tenant of asked)
      await gateway.service.startRun({ text: 'hello' }, tenant === null ? ana : { ...ana, tenant });
    const follow = (value: boolean | null) =>
      followTenancy(db, listener, value, (message) => expect(message).toBe(''));
    if (shared !== null) await follow(shared);
    const read = await follow(configured);
    return read();
  }

  test.each([
    ['nobody’s, where several come from the beginning', [], null, true, []],
    ['of the first, which had it for itself', [one, two], false, true, [one]],
    ['of the first of each platform', [one, 'teams:X', two], false, true, [one, 'teams:X']],
    ['of the only one that there has been', [null, one], null, true, [one]],
    ['nobody’s, where several shared it before anything was kept', [one, two], null, true, []],
  ])('it is %s', async (_, asked, shared, configured, owners) => {
    expect(await settle(asked, shared, configured)).toEqual({ apart: true, owners });
    const again = await followTenancy(gateway.db, gateway.listener, false, () => {});
    expect(again()).toEqual({ apart: true, owners });
  });

  test('a worker that serves nobody follows the others, and goes by what is stored until they speak', async () => {
    expect(await settle([one, two], null, null)).toEqual({ apart: true, owners: [] });
    expect(await settle([one], null, null)).toEqual({ apart: false, owners: [] });
    expect(await settle([one, two], true, null)).toEqual({ apart: true, owners: [] });
  });

  test('what another process says while it is first read here is not missed', async () => {
    await settle([one], null, null);
    const { db, listener } = gateway;
    let notify: (topic: string) => void = () => {};
    const query = Object.create(db.query, {
      execute: {
        async value(statement: Parameters<typeof db.query.execute>[0]) {
          const before = await db.query.execute(statement);
          await followTenancy(db, listener, true, () => {});
          notify('tenancy');
          return before;
        },
      },
    });
    const on = (_: string, wake: typeof notify) => {
      notify = wake;
      return () => {};
    };
    const read = await followTenancy({ ...db, query }, { on }, null, () => {});
    await waitFor('what the other process said', async () => read().apart);
    expect(read()).toEqual({ apart: true, owners: [one] });
  });
});
