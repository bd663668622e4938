// OpenID Connect sign-in with a real provider, and personal tokens.
import { createServer } from 'node:http';
import { sql } from 'drizzle-orm';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { serve } from '#app/serve.ts';
import { resolveProviders } from '#domain/people/identity.ts';
import { createOpenId } from '#people/open-id.ts';
import { listenOnLoopback } from '../../fixtures/loopback.ts';
import {
  type Browser,
  createBrowser,
  freePort,
  type OpenIdDouble,
  type Person,
  startOpenId,
} from '../../fixtures/open-id.ts';
import { pour } from '../../fixtures/pour.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, openTestInstance, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
let openId: OpenIdDouble;
let instance: TestInstance;
let app: FastifyInstance;
let site: string;

const ana: Person = {
  sub: 'a1',
  name: 'Ana Ruiz',
  email: 'Ana@Corp.example',
  email_verified: true,
  groups: ['finance'],
};
const ben: Person = { sub: 'b1', name: 'Ben', email: 'ben@corp.example', email_verified: true };

async function open(more: object = {}): Promise<void> {
  const { port } = new URL(site);
  const provider = {
    ...openId.provider,
    allowed_domains: ['corp.example'],
    default_role: 'requester',
    roles: { approver: ['group:finance'], admin: ['root@corp.example'] },
    ...more,
  };
  instance = await openTestInstance(database.url, {
    work: false,
    settings: { identity: { providers: { corp: provider }, blocked: ['gone@corp.example'] } },
    env: { COUNTERSIGN_PUBLIC_URL: site, PORT: port },
  });
  app = (await serve(instance, instance.config, pino({ level: 'silent' }))).app;
}

beforeAll(async () => {
  site = `http://127.0.0.1:${await freePort()}`;
  openId = await startOpenId([`${site}/sign-in/corp/callback`]);
  await open();
});
afterAll(async () => {
  await app?.close();
  await instance?.close();
  await openId?.close();
});
beforeEach(async () => {
  await instance.db.query.execute(sql`
    truncate countersign.signed_in, countersign.sign_in_sessions, countersign.sign_in_tries, countersign.access_tokens, countersign.identities`);
});

async function signIn(person: Person, back = '/'): Promise<Browser> {
  const browser = createBrowser();
  openId.expect(person);
  const { address } = await browser.follow(
    `${site}/sign-in/corp?back=${encodeURIComponent(back)}`,
    (next) => next === `${site}${back}`,
  );
  expect(address).toBe(`${site}${back}`);
  return browser;
}

const meOf = async (browser: Browser) => (await browser.go(`${site}/api/me`)).json();
const asJson = { 'content-type': 'application/json' };
const send = (browser: Browser, path: string, body: object, headers: Record<string, string> = {}) =>
  browser.go(`${site}${path}`, {
    method: 'POST',
    headers: { ...asJson, origin: site, ...headers },
    body: JSON.stringify(body),
  });
const withToken = (token: string, path: string, init: RequestInit = {}) =>
  fetch(site + path, { ...init, headers: { ...asJson, authorization: `Bearer ${token}` } });
const Proposed = z.object({
  id: z.string(),
  version: z.int(),
  digest: z.string(),
  requester: z.string(),
  status: z.string(),
});
const Made = z.object({ id: z.string(), token: z.string() });
const plan = { title: 'Nothing much', steps: [noop('a')] };

test('whoever signs in is known by their verified address, goes back to where they were, and has the role of their group', async () => {
  const browser = await signIn(ana, '/?plan=PLAN-1#steps');
  expect(await meOf(browser)).toMatchObject({
    ...{
      account: 'ana@corp.example',
      name: 'Ana Ruiz',
      role: 'approver',
      tenant: null,
      by: 'session',
    },
    groups: ['finance'],
  });
  expect(await meOf(await signIn(ben))).toMatchObject({
    account: 'ben@corp.example',
    role: 'requester',
  });
});

test('the session’s cookie is for this site and no script, and only its hash is stored', async () => {
  openId.expect(ana);
  const browser = createBrowser();
  const { address } = await browser.follow(`${site}/sign-in/corp`, (next) =>
    next.startsWith(`${site}/sign-in/corp/callback`),
  );
  const [set = ''] = (await browser.go(address)).headers.getSetCookie();
  expect(set).toMatch(
    /^countersign_session=[0-9a-f]{64}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax$/,
  );
  const secret = set.slice(set.indexOf('=') + 1, set.indexOf(';'));
  const { rows } = await instance.db.query.execute(
    sql`select s::text as row from countersign.sign_in_sessions s`,
  );
  expect(JSON.stringify(rows)).not.toContain(secret);
});

test('what comes back counts once, with its state, in the browser that began', async () => {
  openId.expect(ana);
  const browser = createBrowser();
  const isCallback = (next: string) => next.startsWith(`${site}/sign-in/corp/callback`);
  const { address } = await browser.follow(`${site}/sign-in/corp`, isCallback);
  const other = createBrowser();
  expect((await other.go(address)).status).toBe(401);
  const wrongState = new URL(address);
  wrongState.searchParams.set('state', 'another');
  expect((await browser.go(wrongState.href)).status).toBe(401);
  expect((await browser.go(address)).status).toBe(302);
  expect((await browser.go(address)).status).toBe(401);
  expect((await other.go(`${site}/api/me`)).status).toBe(401);
});

test('a code that was given for another sign-in is refused by its nonce and its verifier', async () => {
  const isCallback = (next: string) => next.startsWith(`${site}/sign-in/corp/callback`);
  openId.expect(ana);
  const [hers, theirs] = [createBrowser(), createBrowser()];
  const first = new URL((await hers.follow(`${site}/sign-in/corp`, isCallback)).address);
  const second = new URL((await theirs.follow(`${site}/sign-in/corp`, isCallback)).address);
  second.searchParams.set('code', first.searchParams.get('code') ?? '');
  expect((await theirs.go(second.href)).status).toBe(401);
  // Right verifier, wrong nonce.
  const third = new URL((await theirs.follow(`${site}/sign-in/corp`, isCallback)).address);
  await instance.db.query.execute(sql`update countersign.sign_in_tries set nonce = 'another'`);
  expect((await theirs.go(third.href)).status).toBe(401);
  expect((await theirs.go(`${site}/api/me`)).status).toBe(401);
});

test('a sign-in leads to no address of elsewhere', async () => {
  for (const back of ['https://evil.example/', '//evil.example', '/\\evil.example'])
    await signIn(ana, '/').then(async () => {
      openId.expect(ana);
      const { address } = await createBrowser().follow(
        `${site}/sign-in/corp?back=${encodeURIComponent(back)}`,
        (next) => next === `${site}/` || next.includes('evil'),
      );
      expect(address).toBe(`${site}/`);
    });
});

test('addresses of other domains, unverified ones and blocked people are not let in', async () => {
  for (const person of [
    { ...ben, email: 'ben@elsewhere.example' },
    { ...ben, email_verified: false },
    { ...ben, email: 'gone@corp.example' },
  ]) {
    openId.expect(person);
    const browser = createBrowser();
    const { response } = await browser.follow(`${site}/sign-in/corp`);
    expect(response.status).toBe(403);
    expect((await browser.go(`${site}/api/me`)).status).toBe(401);
  }
});

test('a session ends when it is idle, when it is old, when it is signed out of, and everywhere at once', async () => {
  const status = async (browser: Browser) => (await browser.go(`${site}/api/me`)).status;
  const age = (set: ReturnType<typeof sql>) =>
    instance.db.query.execute(sql`update countersign.sign_in_sessions set ${set}`);
  const idle = await signIn(ana);
  // Use is recorded in the background.
  await waitFor('it to have ended', async () => {
    await age(sql`used_at = now() - interval '25 hours'`);
    return (await status(idle)) === 401;
  });
  const old = await signIn(ana);
  await age(sql`used_at = now(), expires_at = now() - interval '1 second'`);
  expect(await status(old)).toBe(401);
  const [one, two] = [await signIn(ana), await signIn(ana)];
  const cookie = one.jarOf(site).get('countersign_session') ?? '';
  expect((await send(one, '/api/sign-out', {})).status).toBe(200);
  one.jarOf(site).set('countersign_session', cookie);
  expect([await status(one), await status(two)]).toEqual([401, 200]);
  const three = await signIn(ana);
  expect((await send(three, '/api/sign-out', { everywhere: true })).status).toBe(200);
  expect(await status(two)).toBe(401);
});

test('a tampered cookie is nobody', async () => {
  const browser = await signIn(ana);
  const jar = browser.jarOf(site);
  const cookie = jar.get('countersign_session') ?? '';
  jar.set('countersign_session', `${cookie.slice(0, -1)}${cookie.endsWith('0') ? '1' : '0'}`);
  expect((await browser.go(`${site}/api/me`)).status).toBe(401);
});

test('a page of elsewhere changes nothing with somebody’s cookie', async () => {
  const browser = await signIn(ana);
  for (const origin of ['https://evil.example', 'null', undefined]) {
    const headers: Record<string, string> = origin === undefined ? {} : { origin };
    const answer = await browser.go(`${site}/api/plans`, {
      method: 'POST',
      headers: { ...asJson, ...headers },
      body: JSON.stringify(plan),
    });
    expect(answer.status).toBe(403);
  }
  expect((await send(browser, '/api/plans', plan)).status).toBe(201);
});

test('who signed in acts as themselves, is verified, and approves with the role for it', async () => {
  const [one, two] = [await signIn(ana), await signIn(ben)];
  expect((await send(one, '/api/plans', { ...plan, user: 'ben@corp.example' })).status).toBe(403);
  // `local` means the signed-in person.
  expect((await one.go(`${site}/api/inbox?user=local`)).status).toBe(200);
  expect((await one.go(`${site}/api/memory/local`)).status).toBe(200);
  expect((await one.go(`${site}/api/memory/ben@corp.example`)).status).toBe(403);
  const approvers = { kind: 'n_of', people: ['ana@corp.example', 'ben@corp.example'], n: 2 };
  const wanted = { ...plan, approvers, conversation: 'conv-of-ben' };
  const proposed = Proposed.parse(await (await send(two, '/api/plans', wanted)).json());
  expect(proposed.requester).toBe('ben@corp.example');
  const { id, version, digest } = proposed;
  const approve = (browser: Browser) =>
    send(browser, `/api/plans/${id}/approve`, { version, digest });
  expect((await approve(two)).status).toBe(403);
  expect(Proposed.parse(await (await approve(one)).json()).status).toBe('proposed');
  const word = { text: 'approve', version, digest };
  await send(two, '/api/conversations/conv-of-ben/messages', word);
  expect((await instance.service.getPlan(id)).approvals.map(({ by }) => by)).toEqual([
    'ana@corp.example',
  ]);
  const raised = await signIn({ ...ben, groups: ['finance'] });
  expect(Proposed.parse(await (await approve(raised)).json()).status).toBe('approved');
});

test('a token acts for its owner within its role, and is refused once it is revoked, has expired or its owner has less', async () => {
  const browser = await signIn(ana);
  const make = async (wanted: object) =>
    Made.parse(await (await send(browser, '/api/tokens', { name: 'CI', ...wanted })).json());
  expect((await send(browser, '/api/tokens', { name: 'CI', role: 'admin' })).status).toBe(403);
  const { token, id } = await make({ role: 'approver' });
  expect(await (await withToken(token, '/api/me')).json()).toMatchObject({
    account: 'ana@corp.example',
    role: 'approver',
    by: 'token',
  });
  const viewer = await make({ role: 'viewer' });
  expect((await withToken(viewer.token, '/api/plans')).status).toBe(200);
  expect(
    (await withToken(viewer.token, '/api/plans', { method: 'POST', body: JSON.stringify(plan) }))
      .status,
  ).toBe(403);
  expect(
    (await withToken(token, '/api/tokens', { method: 'POST', body: JSON.stringify({ name: 'x' }) }))
      .status,
  ).toBe(403);
  // A token has its owner's latest groups.
  await signIn({ ...ana, groups: [] });
  expect(await (await withToken(token, '/api/me')).json()).toMatchObject({ role: 'requester' });
  const stolen = await signIn(ben);
  expect(
    (await stolen.go(`${site}/api/tokens/${id}`, { method: 'DELETE', headers: { origin: site } }))
      .status,
  ).toBe(404);
  expect(
    (await browser.go(`${site}/api/tokens/${id}`, { method: 'DELETE', headers: { origin: site } }))
      .status,
  ).toBe(200);
  expect((await withToken(token, '/api/me')).status).toBe(401);
  await instance.db.query.execute(
    sql`update countersign.access_tokens set expires_at = now() - interval '1 second'`,
  );
  expect((await withToken(viewer.token, '/api/me')).status).toBe(401);
  const { rows } = await instance.db.query.execute(
    sql`select t::text as row from countersign.access_tokens t`,
  );
  expect(JSON.stringify(rows)).not.toContain(token.slice(4));
});

test('a provider whose answer does not end is read up to a limit', async () => {
  const written: Promise<number>[] = [];
  const endless = await listenOnLoopback(
    createServer((_, response) => {
      response.setHeader('content-type', 'application/json').write('{"issuer":"');
      written.push(pour(response));
    }),
  );
  const [corp] = resolveProviders(instance.config.settings.identity);
  if (corp === undefined) throw new Error('There is no provider.');
  await expect(createOpenId().check({ ...corp, issuer: endless.url })).rejects.toMatchObject({
    code: 'invalid_configuration',
  });
  for (const bytes of await Promise.all(written)) expect(bytes).toBeLessThan(30_000_000);
  await endless.close();
});
