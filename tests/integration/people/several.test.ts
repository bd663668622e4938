// Several organisations at one sign-in provider.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { sql } from 'drizzle-orm';
import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { serve } from '#app/serve.ts';
import { person } from '#domain/people/actor.ts';
import {
  type Browser,
  createBrowser,
  freePort,
  type OpenIdDouble,
  type Person,
  startOpenId,
} from '../../fixtures/open-id.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, openTestInstance, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
const operatorToken = 'the-token-of-the-operator';
let openId: OpenIdDouble;
let instance: TestInstance;
let app: FastifyInstance;
let site: string;

beforeAll(async () => {
  const port = await freePort();
  site = `http://127.0.0.1:${port}`;
  openId = await startOpenId([`${site}/sign-in/corp/callback`]);
  const provider = {
    ...openId.provider,
    tenant_claim: 'org',
    allowed_tenants: ['any'],
    roles: { admin: ['corp:root'] },
  };
  instance = await openTestInstance(database.url, {
    work: false,
    settings: {
      identity: {
        providers: { corp: provider },
        blocked: ['gone@corp.example', 'group:left'],
      },
      groups: { left: ['ben@corp.example'] },
    },
    env: {
      COUNTERSIGN_PUBLIC_URL: site,
      COUNTERSIGN_API_TOKEN: operatorToken,
      PORT: String(port),
    },
  });
  app = (await serve(instance, instance.config, pino({ level: 'silent' }))).app;
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

async function signIn(who: Person): Promise<Browser> {
  const browser = createBrowser();
  openId.expect(who);
  await browser.follow(`${site}/sign-in/corp`, (next) => next === `${site}/`);
  return browser;
}
const root: Person = { sub: 'root', name: 'Root', org: 'one' };
const ana: Person = { sub: 'a1', name: 'Ana', org: 'one' };
const anaAtTwo: Person = { sub: 'a2', name: 'Ana', org: 'two' };

const asJson = { 'content-type': 'application/json' };
const send = (browser: Browser, path: string, body: object) =>
  browser.go(`${site}${path}`, {
    method: 'POST',
    headers: { ...asJson, origin: site },
    body: JSON.stringify(body),
  });
const withToken = (token: string, path: string, init: RequestInit = {}) =>
  fetch(site + path, { ...init, headers: { ...asJson, authorization: `Bearer ${token}` } });
const statusOf = async (browser: Browser) => (await browser.go(`${site}/api/me`)).status;
const Made = z.object({ id: z.string(), token: z.string() });
const makeToken = async (browser: Browser) =>
  Made.parse(await (await send(browser, '/api/tokens', { name: 'CI' })).json());
const tokenFor = async (account: string) => {
  const wanted = { name: 'CI', role: 'requester' as const, days: 1, tenant: null };
  const { token } = await instance.identity.createToken(
    account,
    wanted,
    person('local', 'terminal'),
  );
  return token;
};

async function link(one: Browser, other: Browser): Promise<void> {
  const Code = z.object({ code: z.string() });
  const { code } = Code.parse(await (await send(one, '/api/link', {})).json());
  expect((await send(other, '/api/link', { code })).status).toBe(200);
}

test('the admin of one organisation reaches nothing that is of the whole instance', async () => {
  const browser = await signIn(root);
  expect(await (await browser.go(`${site}/api/me`)).json()).toMatchObject({
    role: 'admin',
    tenant: 'corp:one',
  });
  const settings = await browser.go(`${site}/api/settings`);
  expect([settings.status, await settings.json()]).toEqual([
    403,
    expect.objectContaining({ detail: expect.stringContaining('every organisation') }),
  ]);
  expect((await send(browser, '/api/settings/check', { part: 'slack' })).status).toBe(403);
  const signInAtTool = '/api/settings/tools/files/sign-in';
  expect((await send(browser, signInAtTool, {})).status).toBe(403);
  const forget = { method: 'DELETE', headers: { origin: site } };
  expect((await browser.go(`${site}${signInAtTool}`, forget)).status).toBe(403);
  const far = { 'x-forwarded-for': '203.0.113.1' };
  expect((await browser.go(`${site}/metrics`, { headers: far })).status).toBe(403);
  expect((await browser.go(`${site}/api/plans`)).status).toBe(200);
  expect((await withToken(operatorToken, '/api/settings')).status).toBe(200);
});

test('whoever is of no organisation is let in no more once several share the instance', async () => {
  const browser = await signIn(ana);
  const { token } = await makeToken(browser);
  expect(await statusOf(browser)).toBe(200);
  // As stored before providers named organisations.
  await instance.db.query.execute(sql`update countersign.signed_in set tenant = null`);
  expect(await statusOf(browser)).toBe(401);
  expect((await withToken(token, '/api/plans')).status).toBe(401);
});

test('a token stays with the organisation it was made for, wherever its owner signs in later', async () => {
  const here = await signIn(ana);
  const { token } = await makeToken(here);
  await link(here, await signIn(anaAtTwo));
  await signIn(anaAtTwo);
  expect(await (await withToken(token, '/api/me')).json()).toMatchObject({
    account: 'corp:a1',
    tenant: 'corp:one',
  });
  // The account changed organisations, the token did not.
  await instance.db.query.execute(sql`update countersign.signed_in set tenant = 'corp:two'`);
  expect((await withToken(token, '/api/me')).status).toBe(401);
});

test('signing out everywhere ends the sessions of all one’s accounts', async () => {
  const [here, there] = [await signIn(ana), await signIn(anaAtTwo)];
  const stranger = await signIn(root);
  await link(here, there);
  expect((await send(here, '/api/sign-out', { everywhere: true })).status).toBe(200);
  expect([await statusOf(here), await statusOf(there), await statusOf(stranger)]).toEqual([
    401, 401, 200,
  ]);
});

test('a token made for somebody who is blocked is refused, however their name is written', async () => {
  for (const account of ['gone@corp.example', 'Gone@Corp.example', 'ben@corp.example'])
    expect((await withToken(await tokenFor(account), '/api/me')).status).toBe(401);
  expect((await withToken(await tokenFor('eva@corp.example'), '/api/me')).status).toBe(200);
});

test('an agent that waits is told nothing any more once its token is revoked', async () => {
  const browser = await signIn(ana);
  const { token, id } = await makeToken(browser);
  const agent = new Client(
    { name: 'waiter', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await agent.connect(new StreamableHTTPClientTransport(new URL('/mcp', site), { requestInit }));
  try {
    const draft = { title: 'Nothing much', steps: [noop('a')] };
    const Plan = z.object({ id: z.string(), version: z.int() });
    const plan = Plan.parse(await (await send(browser, '/api/plans', draft)).json());
    const { query } = instance.db;
    await query.execute(sql`update countersign.access_tokens set used_at = null`);
    const wait = { plan: plan.id, timeout_seconds: 60 };
    const waited = agent.callTool({ name: 'plan_wait', arguments: wait });
    await waitFor('the agent to be let in', async () => {
      const { rows } = await query.execute(
        sql`select from countersign.access_tokens where used_at is not null`,
      );
      return rows.length > 0;
    });
    const forget = { method: 'DELETE', headers: { origin: site } };
    expect((await browser.go(`${site}/api/tokens/${id}`, forget)).status).toBe(200);
    const { version } = plan;
    expect((await send(browser, `/api/plans/${plan.id}/cancel`, { version })).status).toBe(200);
    const { isError, content } = await waited;
    expect([isError, JSON.stringify(content)]).toEqual([
      true,
      expect.stringContaining('unauthorized'),
    ]);
    expect(JSON.stringify(content)).not.toContain(plan.id);
  } finally {
    await agent.close();
  }
});
