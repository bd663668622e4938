// Blocked people are refused on every way in.
import { writeFile } from 'node:fs/promises';
import { sql } from 'drizzle-orm';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { checkPeople } from '#app/doctor/check-people.ts';
import { readRulesAgain } from '#app/follow-rules.ts';
import { serve } from '#app/serve.ts';
import { CountersignError } from '#domain/errors.ts';
import { type Actor, person } from '#domain/people/actor.ts';
import { agreeAt, type HostedServer, startHostedServer } from '../../fixtures/hosted-server.ts';
import {
  type Browser,
  createBrowser,
  freePort,
  type OpenIdDouble,
  type Person,
  startOpenId,
} from '../../fixtures/open-id.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, openTestInstance, reach, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
let openId: OpenIdDouble;
let instance: TestInstance;
let app: FastifyInstance;
let site: string;
let hosted: HostedServer;

const operatorToken = 'operator-token-of-this-instance';
const cleo: Person = { sub: 'c1', name: 'Cleo', email: 'cleo@corp.example', email_verified: true };
const blocked = ['group:contractors', 'gone@corp.example'];
const identity = () => ({
  providers: {
    corp: {
      ...openId.provider,
      roles: { approver: ['group:finance'], admin: ['group:admins'] },
    },
  },
  blocked,
});

beforeAll(async () => {
  site = `http://127.0.0.1:${await freePort()}`;
  openId = await startOpenId([`${site}/sign-in/corp/callback`]);
  hosted = await startHostedServer();
  instance = await openTestInstance(database.url, {
    settings: { identity: identity(), mcpServers: { hosted: { url: hosted.url } } },
    env: {
      COUNTERSIGN_PUBLIC_URL: site,
      PORT: new URL(site).port,
      COUNTERSIGN_API_TOKEN: operatorToken,
      COUNTERSIGN_ENCRYPTION_KEY: 'a'.repeat(64),
    },
    awaitTools: false,
  });
  app = (await serve(instance, instance.config, pino({ level: 'silent' }), undefined, 50)).app;
});
afterAll(async () => {
  await app?.close();
  await instance?.close();
  await openId?.close();
  await hosted?.close();
});
beforeEach(async () => {
  await instance.db.query.execute(sql`
    truncate countersign.signed_in, countersign.sign_in_sessions, countersign.access_tokens, countersign.identities`);
  await change({ identity: identity() });
});

const path = () => instance.config.settingsFile.path;

async function change(settings: object): Promise<void> {
  await writeFile(path(), JSON.stringify({ executor: { lease_seconds: 2 }, ...settings }));
  readRulesAgain(instance.config);
}

/** @returns the final status */
async function signIn(who: Person): Promise<{ browser: Browser; status: number; said: string }> {
  const browser = createBrowser();
  openId.expect(who);
  const { address } = await browser.follow(`${site}/sign-in/corp`, (next) =>
    next.startsWith(`${site}/sign-in/corp/callback`),
  );
  const answer = await browser.go(address);
  return { browser, status: answer.status, said: await answer.text() };
}
const roleOf = async (browser: Browser) =>
  ((await (await browser.go(`${site}/api/me`)).json()) as { role: string }).role;

test.each([
  ['text', 'contractors'],
  ['a list', ['staff', 'contractors']],
  ['objects, as SCIM has them', [{ value: 'contractors', display: 'Contractors' }]],
  ['text with commas', 'staff,contractors'],
  ['text with blanks', 'staff contractors'],
  ['a list as text', '["contractors"]'],
  ['objects of another form', [{ name: 'contractors' }]],
  ['an object', { contractors: {} }],
  ['a number', 7],
  ['nothing', null],
  ['an empty text', ''],
])('whoever is in a blocked group, or may be, is not let in: %s', async (_, groups) => {
  expect((await signIn({ ...cleo, groups })).status).toBe(403);
});

test('groups that are elsewhere cannot be read, and that is what the person is told', async () => {
  const { status, said } = await signIn(cleo);
  expect(status).toBe(403);
  expect(said).toContain('groups');
});

test.each([
  ['text', 'finance', 'approver'],
  ['a list', ['finance'], 'approver'],
  ['objects', [{ value: 'finance' }], 'approver'],
  ['a list without it', ['financial', 'Finance', 'finance '], 'requester'],
  ['no groups', [], 'requester'],
])('a role by a group is given as well: %s', async (_, groups, role) => {
  const { browser } = await signIn({ ...cleo, groups });
  expect(await roleOf(browser)).toBe(role);
});

test('the doctor names groups that could not be read, and rules that nobody can meet', async () => {
  await change({
    identity: { ...identity(), blocked: [] },
    guardedApprovers: {
      http_request: { kind: 'n_of', people: ['ana', 'group:corp:rare'], n: 2 },
    },
  });
  await signIn({ ...cleo, groups: 'finance, staff' });
  expect(await checkPeople(instance.config, instance.db.query)).toMatchObject([
    { part: 'Approvers', state: 'broken', text: expect.stringContaining('http_request') },
    { part: 'Sign-in corp', state: 'broken', text: expect.stringContaining('group:corp:finance') },
  ]);
});

test('a role by a group is not given where groups cannot be read', async () => {
  await change({ identity: { ...identity(), blocked: [] } });
  for (const groups of ['finance, staff', undefined, { finance: true }]) {
    const { browser } = await signIn({ ...cleo, groups });
    expect(await roleOf(browser)).toBe('requester');
  }
});

test('who is blocked while they are signed in is out at once: session, token, and whoever speaks for them', async () => {
  const { browser } = await signIn({ ...cleo, groups: ['finance'] });
  const asked = await browser.go(`${site}/api/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: site },
    body: JSON.stringify({ name: 'CI', role: 'approver' }),
  });
  const { token } = (await asked.json()) as { token: string };
  const withToken = () =>
    fetch(`${site}/api/me`, { headers: { authorization: `Bearer ${token}` } });
  expect((await withToken()).status).toBe(200);
  const streams = await Promise.all([
    browser.go(`${site}/api/conversations/c/events`),
    browser.go(`${site}/api/inbox/events`),
    fetch(`${site}/api/conversations/c/events`, { headers: { authorization: `Bearer ${token}` } }),
  ]);
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
  await change({ identity: { ...identity(), blocked: [...blocked, 'cleo@corp.example'] } });
  expect((await browser.go(`${site}/api/me`)).status).toBe(401);
  expect((await withToken()).status).toBe(401);
  await Promise.all(streams.map((stream) => stream.text()));
  for (const via of ['slack', 'teams', 'terminal', 'api', 'mcp'] as const)
    await expect(
      instance.service.startRun({ text: 'Do nothing' }, person('CLEO@corp.example', via)),
    ).rejects.toMatchObject({ code: 'forbidden' });
});

test('a sign-in that is refused takes what the account had before', async () => {
  const { browser } = await signIn({ ...cleo, groups: ['finance'] });
  expect((await signIn({ ...cleo, groups: ['contractors'] })).status).toBe(403);
  expect((await browser.go(`${site}/api/me`)).status).toBe(401);
  await expect(
    instance.service.say('c', 'hello', person('cleo@corp.example', 'slack')),
  ).rejects.toMatchObject({ code: 'forbidden' });
});

test.each([
  ['is no JSON', '{"identity": '],
  ['has an unknown key', JSON.stringify({ identity: { blocked: [], blokced: [] } })],
  [
    'has a rule that nobody can meet',
    JSON.stringify({
      guardedApprovers: { http_request: { kind: 'n_of', people: ['a@b.c', '@A@b.c'], n: 2 } },
    }),
  ],
  ['blocks a group that there is not', JSON.stringify({ identity: { blocked: ['group:x'] } })],
])('a file that %s changes nothing, and the settings say so', async (_, text) => {
  const { warnings } = instance.config.settingsFile;
  await writeFile(path(), text);
  await waitFor('a warning', () => warnings.length > 0);
  expect(instance.config.settings.identity.blocked).toEqual(blocked);
  expect((await signIn({ ...cleo, groups: 'contractors' })).status).toBe(403);
  await change({ identity: identity() });
});

const ana = person('ana@corp.example', 'slack');
const dan = person('dan@corp.example', 'slack');
const approve = async (id: string, actor: Actor) => {
  const { version, digest } = await instance.service.getPlan(id);
  return instance.service.approve(id, { version, digest }, actor);
};

test('approvals of somebody who was blocked, or left the group, count no longer when the next one is given', async () => {
  const groups = { two: [ana.id, dan.id, 'eve@corp.example'] };
  await change({ identity: identity(), groups });
  const propose = (people: string[]) =>
    instance.service.propose(
      { title: 'Two', steps: [noop('a')], approvers: { kind: 'n_of', people, n: 2 } },
      { user: ana.id },
      ana,
    );
  const plan = await propose(['group:two']);
  expect((await approve(plan.id, dan)).status).toBe('proposed');
  await change({ identity: { ...identity(), blocked: [...blocked, dan.id] }, groups });
  expect((await approve(plan.id, ana)).status).toBe('proposed');
  await change({ identity: identity(), groups: { two: [ana.id, 'eve@corp.example'] } });
  expect((await approve(plan.id, person('eve@corp.example', 'slack'))).status).toBe('approved');
});

test('a plan whose approver is blocked before it starts does not run', async () => {
  const stopped = await openTestInstance(database.url, {
    work: false,
    settings: { identity: identity(), approvers: [dan.id] },
    env: { COUNTERSIGN_PUBLIC_URL: site },
  });
  try {
    const plan = await stopped.service.propose(
      { title: 'Later', steps: [noop('a')] },
      { user: ana.id },
      ana,
    );
    await change({ identity: { ...identity(), blocked: [...blocked, dan.id] } });
    const { version, digest } = plan;
    await stopped.service.approve(plan.id, { version, digest }, dan);
    const failed = await reach(instance, plan.id, 'failed', 'completed');
    expect(failed.status).toBe('failed');
    expect(failed.execution_started_at).toBeNull();
    await expect(instance.service.retry(plan.id, { version }, ana)).rejects.toMatchObject({
      code: 'invalid_transition',
    });
  } finally {
    await stopped.close();
  }
});

const block = (...names: string[]) =>
  change({ identity: { ...identity(), blocked: [...blocked, ...names] } });
const post = async (at: string, headers: Record<string, string>, body: object) => {
  const answer = await fetch(`${site}${at}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status: answer.status, said: await answer.text() };
};
const callMcp = (token: string, name: string, args: object) =>
  post(
    '/mcp',
    { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' },
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
  );
const makeToken = async (account: string) => {
  const wanted = { name: 'CI', role: 'requester', days: 1, tenant: null } as const;
  const made = await instance.identity.createToken(account, wanted, person('local', 'terminal'));
  return made.token;
};
const byOperator = (key: string) => ({
  authorization: `Bearer ${operatorToken}`,
  'idempotency-key': key,
});
const refusalOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'let through',
    (error: unknown) => (error instanceof CountersignError ? error.code : String(error)),
  );
const agent: Actor = { kind: 'model', id: 'An agent', via: 'mcp' };
const draft = (people = [dan.id]) => ({
  title: 'One',
  steps: [noop('a')],
  approvers: { kind: 'named' as const, people },
});
const keepPlaybook = async (name: string) => {
  const { id } = await instance.service.propose(draft(), { user: dan.id }, dan);
  await instance.service.savePlaybook(id, { name, params: {}, defaults: {} }, dan);
};
const waitOn = (answer: { status: number; said: string }) =>
  answer.said.includes('unauthorized') ? 'unauthorized' : answer.said;

// Each begins before the block and ends after it.
test.each<[way: string, refusal: string | number, begin: () => Promise<() => Promise<unknown>>]>([
  [
    'a request by an agent in their name',
    'forbidden',
    async () => () =>
      refusalOf(instance.service.startRun({ text: 'Do nothing', user: dan.id }, agent)),
  ],
  [
    'a plan by an agent in their name',
    'forbidden',
    async () => () => refusalOf(instance.service.propose(draft(), { user: dan.id }, agent)),
  ],
  [
    'a playbook that an agent runs in their name',
    'forbidden',
    async () => {
      await keepPlaybook('agents');
      return () =>
        refusalOf(
          instance.service.checkPlaybookRun(
            'agents',
            {},
            { user: dan.id },
            { ...agent, id: dan.id },
          ),
        );
    },
  ],
  [
    'a playbook that they run',
    'forbidden',
    async () => {
      await keepPlaybook('theirs');
      return () => refusalOf(instance.service.checkPlaybookRun('theirs', {}, {}, dan));
    },
  ],
  [
    'a call of an agent with their token',
    401,
    async () => {
      const token = await makeToken(dan.id);
      return async () => (await callMcp(token, 'plan_list', {})).status;
    },
  ],
  [
    'a call of an agent that waits with their token',
    'unauthorized',
    async () => {
      const token = await makeToken(dan.id);
      const { id } = await instance.service.propose(draft(), {}, dan);
      const waiting = callMcp(token, 'plan_wait', { plan: id, timeout_seconds: 3 });
      return async () => waitOn(await waiting);
    },
  ],
  [
    'a repeated request with a key, in their typed name',
    403,
    async () => {
      const ask = () => post('/api/run', byOperator('again'), { text: 'Do nothing', user: dan.id });
      expect((await ask()).status).toBe(202);
      return async () => (await ask()).status;
    },
  ],
  [
    'a repeated press',
    'forbidden',
    async () => {
      const { id, version, digest } = await instance.service.propose(draft(), {}, dan);
      const pressed = { once: 'press-1', at: new Date() };
      const press = () => instance.service.approve(id, { version, digest, pressed }, dan);
      await press();
      return () => refusalOf(press());
    },
  ],
  [
    'an answer that a step asks them for',
    'forbidden',
    async () => {
      const asks = { ...noop('a'), tool: 'human', operation: 'task' };
      const args = { question: 'Which?', assignee: dan.id };
      const plan = await instance.service.propose(
        { ...draft([ana.id]), steps: [{ ...asks, args }] },
        {},
        ana,
      );
      await approve(plan.id, ana);
      await waitFor(
        'the question',
        async () => (await instance.service.getPlan(plan.id)).counts.waiting === 1,
      );
      const settlement = { version: 1, steps: { a: 'done' }, answer: 'Both' } as const;
      return () => refusalOf(instance.service.resume(plan.id, settlement, dan));
    },
  ],
  [
    'a code for linking that they asked for',
    'not_found',
    async () => {
      const asked = await instance.service.link({ do: 'ask' }, dan);
      const code = asked.kind === 'code' ? asked.code : '';
      return () => refusalOf(instance.service.link({ do: 'use', code }, ana));
    },
  ],
  [
    'a code for linking that they send',
    'forbidden',
    async () => {
      const asked = await instance.service.link({ do: 'ask' }, ana);
      const code = asked.kind === 'code' ? asked.code : '';
      return () => refusalOf(instance.service.link({ do: 'use', code }, dan));
    },
  ],
  [
    'a sign-in that they began',
    403,
    async () => {
      const browser = createBrowser();
      openId.expect({ sub: 'd1', name: 'Dan', email: dan.id, email_verified: true, groups: [] });
      const { address } = await browser.follow(`${site}/sign-in/corp`, (next) =>
        next.startsWith(`${site}/sign-in/corp/callback`),
      );
      return async () => (await browser.go(address)).status;
    },
  ],
  [
    'a sign-in at a tool that they began',
    403,
    async () => {
      const { browser } = await signIn({
        ...{ sub: 'd1', name: 'Dan', email: dan.id, email_verified: true },
        groups: ['admins'],
      });
      const begun = await sendJson(browser, '/api/settings/tools/hosted/sign-in', {});
      const { url } = (await begun.json()) as { url: string };
      const back = await agreeAt(url);
      return async () => (await browser.go(back.href)).status;
    },
  ],
])('%s is refused once they are blocked', async (_, refusal, begin) => {
  const end = await begin();
  await block(dan.id);
  expect(await end()).toBe(refusal);
});

// Sign-in groups expire after a day.

const sendJson = (browser: Browser, at: string, body: object) =>
  browser.go(`${site}${at}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: site },
    body: JSON.stringify(body),
  });
const age = (hours: number) =>
  instance.db.query.execute(
    sql`update countersign.signed_in set at = clock_timestamp() - make_interval(hours => ${hours})`,
  );
const named = (people: string[]) =>
  instance.service.propose(
    { title: 'One', steps: [noop('a')], approvers: { kind: 'named', people } },
    { user: ana.id },
    ana,
  );
const approveIn = async (browser: Browser, id: string) => {
  const { version, digest } = await instance.service.getPlan(id);
  const answer = await sendJson(browser, `/api/plans/${id}/approve`, { version, digest });
  return { status: answer.status, said: await answer.text() };
};

test.each([
  [23, 24, 'approver'],
  [25, 24, 'requester'],
  [25, 48, 'approver'],
  [2, 1, 'requester'],
])(
  'a role by a group that was named %d hours ago, where it holds for %d, is %s',
  async (hours, most, role) => {
    const { browser } = await signIn({ ...cleo, groups: ['finance'] });
    await change({ identity: { ...identity(), groups_max_age_hours: most } });
    await age(hours);
    expect(await roleOf(browser)).toBe(role);
    await signIn({ ...cleo, groups: ['finance'] });
    expect(await roleOf(browser)).toBe('approver');
    await change({ identity: identity() });
  },
);

test('a person with old groups is asked to sign in again, with a session and with a token, and a rule does not count them', async () => {
  const { browser } = await signIn({ ...cleo, groups: ['finance'] });
  const made = await sendJson(browser, '/api/tokens', { name: 'CI', role: 'approver' });
  const { token } = (await made.json()) as { token: string };
  const plan = await named(['group:finance']);
  await age(25);
  const refused = await approveIn(browser, plan.id);
  expect(refused).toMatchObject({ status: 403, said: expect.stringMatching(/sign in again/i) });
  const { version, digest } = plan;
  const byToken = await fetch(`${site}/api/plans/${plan.id}/approve`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ version, digest }),
  });
  expect(byToken.status).toBe(403);
  // In a chat only the rule decides.
  await expect(approve(plan.id, person('cleo@corp.example', 'slack'))).rejects.toMatchObject({
    code: 'not_allowed',
    message: expect.stringMatching(/sign in again/i),
  });
  await signIn({ ...cleo, groups: ['finance'] });
  expect((await approveIn(browser, plan.id)).status).toBe(200);
});

test('an old group still blocks', async () => {
  const { browser } = await signIn({ ...cleo, groups: ['staff'] });
  await age(1000);
  expect((await browser.go(`${site}/api/me`)).status).toBe(200);
  await change({ identity: { ...identity(), blocked: ['group:staff'] } });
  expect((await browser.go(`${site}/api/me`)).status).toBe(401);
});

test.each([
  ['whose groups have only aged', 'completed', () => age(25)],
  [
    'who has left the group since',
    'failed',
    async () => void (await signIn({ ...cleo, groups: [] })),
  ],
  [
    'whose role was taken away since',
    'failed',
    () =>
      change({
        identity: {
          ...identity(),
          providers: { corp: { ...identity().providers.corp, roles: {} } },
        },
      }),
  ],
])('a plan approved by somebody %s is %s', async (_, status, happen) => {
  const stopped = await openTestInstance(database.url, {
    work: false,
    settings: { identity: identity() },
    env: { COUNTERSIGN_PUBLIC_URL: site },
  });
  try {
    const { browser } = await signIn({ ...cleo, groups: ['finance'] });
    const plan = await stopped.service.propose(
      {
        title: 'Later',
        steps: [noop('a')],
        approvers: { kind: 'named', people: ['cleo@corp.example'] },
      },
      { user: ana.id },
      ana,
    );
    const { version, digest } = plan;
    const me = (await (await browser.go(`${site}/api/me`)).json()) as { account: string };
    await happen();
    const actor = { ...person(me.account, 'console'), verified: true, role: 'approver' } as const;
    await stopped.service.approve(plan.id, { version, digest }, actor);
    expect((await reach(instance, plan.id, 'failed', 'completed')).status).toBe(status);
  } finally {
    await stopped.close();
  }
});
