// Every API route as the wrong person; new routes are included.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { sql } from 'drizzle-orm';
import type { FastifyInstance, RouteOptions } from 'fastify';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serve } from '#app/serve.ts';
import { storeArtifact } from '#db/plans/artifacts.ts';
import { person } from '#domain/people/actor.ts';
import { hasRole, Role } from '#domain/people/principal.ts';
import { freePort } from '../../fixtures/open-id.ts';
import { useDatabase } from '../../setup/database.ts';
import { noop, openTestInstance, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
const tenants = ['slack:T1', 'slack:T2'] as const;
type Tenant = (typeof tenants)[number];
const [here, elsewhere] = tenants;
// In all texts of `here` only.
const secret = 'Quetzal';
const operator = 'the-token-of-the-operator';
const artifact = 'art-0123456789abcdef';
const reminder = 'REM-0123456789abcdef';

type Walked = { method: string; url: string; role: string; subject: string };
type Reply = { status: number; code: string; body: string };

let instance: TestInstance;
let app: FastifyInstance;
let site: string;
const routes: Walked[] = [];
const tokens = new Map<string, { id: string; token: string }>();
// Path values of `here`, and the plan of `elsewhere`.
const named = { plan: '', run: '', conversation: 'conv-here', finding: '', memory: '', theirs: '' };
let digest = '';

const accountOf = (tenant: Tenant, role: Role) => `${role}@${tenant}`;
function tokenOf(tenant: Tenant, role: Role): string {
  const made = tokens.get(accountOf(tenant, role));
  if (made === undefined) throw new Error(`nobody made a token for ${role} of ${tenant}`);
  return made.token;
}

function noteRoutes(message: unknown): void {
  const { fastify } = message as { fastify: FastifyInstance }; // Fastify's documented channel.
  fastify.addHook('onRoute', ({ method, url, config }: RouteOptions) => {
    if (config === undefined) throw new Error(`${url} has no config`);
    for (const one of [method].flat().filter((name) => name !== 'HEAD'))
      routes.push({ method: one, url, role: config.role, subject: config.subject });
  });
}

async function ask(
  token: string | null,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const left = new AbortController();
  const isText = typeof body === 'string';
  const response = await fetch(site + path, {
    method,
    signal: left.signal,
    redirect: 'manual',
    headers: {
      accept: 'application/json, text/event-stream',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined
        ? {}
        : { 'content-type': isText ? 'text/markdown' : 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
  });
  const { status } = response;
  const type = response.headers.get('content-type') ?? '';
  // Streams don't end.
  if (type.startsWith('text/event-stream')) {
    left.abort();
    return { status, code: '', body: '' };
  }
  const text = await response.text();
  const problem = type.includes('problem+json') ? JSON.parse(text) : {};
  return { status, code: String(problem.code ?? ''), body: text };
}

async function make(method: string, path: string, body: object): Promise<Record<string, unknown>> {
  const reply = await ask(tokenOf(here, 'requester'), method, path, body);
  if (reply.status > 299) throw new Error(`${method} ${path}: ${reply.status} ${reply.body}`);
  return JSON.parse(reply.body);
}

beforeAll(async () => {
  const port = await freePort();
  site = `http://127.0.0.1:${port}`;
  const provider = {
    issuer: 'https://id.example',
    client_id: 'c',
    client_secret: 's',
    tenant_claim: 'org',
    allowed_tenants: ['any'],
  };
  instance = await openTestInstance(database.url, {
    work: false,
    settings: { identity: { providers: { corp: provider } } },
    env: {
      COUNTERSIGN_PUBLIC_URL: site,
      COUNTERSIGN_API_TOKEN: operator,
      COUNTERSIGN_ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
      PORT: String(port),
    },
  });
  subscribe('fastify.initialization', noteRoutes);
  const log = pino({ level: 'silent' });
  app = (await serve(instance, instance.config, log, undefined, 20)).app;
  unsubscribe('fastify.initialization', noteRoutes);

  const makeToken = async (tenant: Tenant, role: Role) => {
    const wanted = { name: 'CI', role, days: 1, tenant };
    const account = accountOf(tenant, role);
    const { token, facts } = await instance.identity.createToken(
      account,
      wanted,
      person('local', 'terminal'),
    );
    return { id: facts.id, token };
  };
  for (const tenant of tenants)
    for (const role of Role.options)
      tokens.set(accountOf(tenant, role), await makeToken(tenant, role));
  tokens.set('spare', await makeToken(here, 'requester'));

  const steps = [noop('a'), noop('b', 'a')];
  const { conversation } = named;
  const plan = await make('POST', '/api/plans', {
    title: secret,
    summary: secret,
    steps,
    conversation,
  });
  named.plan = String(plan.id);
  digest = String(plan.digest);
  const run = await make('POST', '/api/run', { text: `Tell me of ${secret}`, conversation });
  named.run = String(run.run_id);
  const me = accountOf(here, 'requester');
  const kept = await make('POST', `/api/memory/${me}`, { name: secret, text: secret });
  named.memory = String(kept.id);
  const found = await make('POST', `/api/plans/${named.plan}/findings`, {
    ...finding,
    message: secret,
  });
  named.finding = String(found.id);
  await storeArtifact(instance.db.query, {
    ...{ id: artifact, planId: named.plan, stepId: 'a', name: secret },
    ...{ mediaType: 'text/plain; charset=utf-8', content: Buffer.from(secret) },
  });
  await make('POST', '/api/playbooks', { plan_id: named.plan, name: 'quill' });
  await instance.db.query.execute(sql`
    insert into countersign.reminders (id, plan_id, "user", text, timezone, starts_at, next_at)
    values (${reminder}, ${named.plan}, ${me}, ${secret}, 'UTC', now(), now() + interval '1 day')`);
  const theirs = await ask(tokenOf(elsewhere, 'requester'), 'POST', '/api/plans', {
    title: 'Theirs',
    steps,
  });
  named.theirs = JSON.parse(theirs.body).id;
});
afterAll(async () => {
  await app?.close();
  await instance?.close();
});

const finding = { severity: 'WARN', category: 'reported', message: 'Look at it' };
// A missing version, so that nothing is decided.
const late = { version: 99 };
const bodies: Record<string, () => unknown> = {
  'POST /api/run': () => ({ text: 'Do nothing', conversation: named.conversation }),
  'POST /api/runs/:id/reply': () => ({ text: 'status' }),
  'POST /api/runs/:id/stop': () => ({ turn: 99 }),
  'POST /api/runs/:id/approve': () => ({ digest: 'another', turn: 99 }),
  'POST /api/runs/:id/reject': () => ({ digest: 'another', turn: 99 }),
  'POST /api/runs/:id/propose-changes': () => ({ digest: 'another', turn: 99, feedback: 'more' }),
  'POST /api/plans': () => ({
    ...{ title: 'Nothing', steps: [noop('a')], conversation: named.conversation },
  }),
  'POST /api/plans/preview': () => ({
    ...{ title: 'Nothing', steps: [noop('a')], conversation: named.conversation },
  }),
  'POST /api/plans/import': () => '# Not a plan',
  'POST /api/plans/:id/approve': () => ({ ...late, digest }),
  'POST /api/press': () => ({
    button: { action: 'approve', plan_id: named.plan, version: 99, digest },
  }),
  'POST /api/plans/:id/reject': () => late,
  'POST /api/plans/:id/propose-changes': () => ({ ...late, feedback: 'more' }),
  'POST /api/plans/:id/cancel': () => late,
  'POST /api/plans/:id/mark-failed': () => late,
  'POST /api/plans/:id/pause': () => late,
  'POST /api/plans/:id/retry': () => late,
  'POST /api/plans/:id/resume': () => late,
  'POST /api/plans/:id/simulate': () => late,
  'POST /api/plans/:id/findings': () => ({ ...finding, message: secret, key: 'again' }),
  'POST /api/plans/:id/findings/:finding': () => ({ action: 'dismiss' }),
  'POST /api/plans/:id/patches': () => ({
    ...{ base_revision: 1, operations: [{ op: 'remove_steps', steps: { ids: ['b'] } }] },
  }),
  'POST /api/conversations/:id/messages': () => ({ text: 'status' }),
  'PUT /api/policy/:user': () => ({ conversation_style: 'concise' }),
  'POST /api/memory/:user': () => ({ name: 'Nobody', text: 'nothing' }),
  'PUT /api/memory/:user/:id': () => ({ name: 'Nobody', text: 'nothing more' }),
  'POST /api/link': () => ({}),
  'POST /api/sign-out': () => ({}),
  'POST /api/tokens': () => ({ name: 'CI', role: 'viewer' }),
  'POST /api/settings/check': () => ({ part: 'slack' }),
  'POST /api/settings/tools/:server/sign-in': () => undefined,
  'PUT /api/settings/model': () => ({ base_url: 'http://127.0.0.1:1/v1' }),
  'POST /api/playbooks': () => ({ plan_id: named.plan, name: 'another' }),
  'POST /api/playbooks/:name/run': () => ({}),
  'POST /api/recurring': () => ({ id: reminder, change: { action: 'change', text: secret } }),
  'POST /mcp': () => ({ jsonrpc: '2.0', id: 1, method: 'ping' }),
};
const queries: Record<string, string> = {
  '/api/plans/:id/matches': '?words=the',
  '/api/plans/:id/previews': '?ids=a',
  '/api/operations/:name/values': '?field=%2Fpath',
};
// Private even within the organisation.
const owned = [
  'PUT /api/memory/:user/:id',
  'DELETE /api/memory/:user/:id',
  'DELETE /api/tokens/:id',
  'DELETE /api/playbooks/:name',
  'POST /api/recurring',
];
// Their subject is outside their path.
const naming = [
  'POST /api/run',
  'POST /api/plans',
  'POST /api/plans/preview',
  'POST /api/playbooks',
  'GET /api/playbooks/:name',
  'DELETE /api/playbooks/:name',
  'POST /api/playbooks/:name/run',
  'DELETE /api/tokens/:id',
  'POST /api/recurring',
];

function pathOf({ url, subject }: Walked, user: string): string {
  const byId: Record<string, string> = {
    ...{ plan: named.plan, run: named.run, conversation: named.conversation, person: named.memory },
    self: tokens.get('spare')?.id ?? '',
  };
  const values: Record<string, string | undefined> = {
    ...{
      id: byId[subject],
      user,
      artifact,
      finding: named.finding,
      step: 'a',
      a: '1',
      b: '1',
      server: 'none',
      name: 'quill',
    },
  };
  const path = url.replaceAll(/:([a-z]+)/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${url}: say here what :${name} is of a ${subject}`);
    return encodeURIComponent(value);
  });
  return path + (queries[url] ?? '');
}

function bodyOf({ method, url }: Walked): unknown {
  if (method !== 'POST' && method !== 'PUT') return undefined;
  const body = bodies[`${method} ${url}`];
  if (body === undefined)
    throw new Error(`${method} ${url}: say here with which body it is walked`);
  return body();
}

const go = (token: string | null, route: Walked, user = accountOf(here, 'requester')) =>
  ask(token, route.method, pathOf(route, user), bodyOf(route));

const isSaid = ({ method, url, subject }: Walked): boolean =>
  subject === 'conversation' ||
  subject === 'run' ||
  (method === 'POST' && ['/api/run', '/api/plans', '/api/plans/preview'].includes(url));

const roles = (tenant: Tenant) => Role.options.map((role) => [role, tokenOf(tenant, role)]);

function guarded(): (Walked & { role: Role })[] {
  return routes.flatMap((route) => {
    const role = Role.safeParse(route.role === 'metrics' ? 'admin' : route.role);
    return role.success ? [{ ...route, role: role.data }] : [];
  });
}
const nameOf = ({ method, url }: Walked) => `${method} ${url}`;

// Reports all faults in one run.
async function judge(work: (report: (line: string) => void) => Promise<void>): Promise<void> {
  const wrong: string[] = [];
  await work((line) => wrong.push(line));
  expect(wrong).toEqual([]);
}

test('a route for anybody is about nobody in particular', () => {
  const open = routes.filter(({ role }) => ['open', 'page', 'metrics'].includes(role));
  expect(open.length).toBeGreaterThan(10);
  expect(open.filter(({ subject }) => subject !== 'instance')).toEqual([]);
  expect(guarded().length).toBeGreaterThan(60);
});

test('with no credentials, or with some that are nobody’s, every route answers 401', () =>
  judge(async (report) => {
    for (const route of guarded().filter(({ url }) => url !== '/metrics'))
      for (const token of [null, `cst_${'0'.repeat(64)}`]) {
        const { status } = await go(token, route);
        if (status !== 401) report(`${nameOf(route)}: ${status}`);
      }
  }));

test('with a role that is too small, every route answers 403', () =>
  judge(async (report) => {
    for (const route of guarded().filter(({ url }) => url !== '/metrics'))
      for (const role of Role.options.filter((one) => !hasRole(one, route.role)))
        for (const tenant of tenants) {
          const { status, code, body } = await go(tokenOf(tenant, role), route);
          if (status !== 403 || code !== 'forbidden')
            report(`${role} of ${tenant}: ${nameOf(route)}: ${status} ${body}`);
        }
  }));

test('people of another organisation, its admin included, find nothing of this one', () =>
  judge(async (report) => {
    for (const route of guarded())
      for (const role of Role.options.filter((one) => hasRole(one, route.role))) {
        const { status, body } = await go(tokenOf(elsewhere, role), route);
        const line = `${role}: ${nameOf(route)}: ${status} ${body.slice(0, 200)}`;
        if (body.includes(secret)) report(`leaks: ${line}`);
        const isNamed = ['plan', 'run', 'conversation', 'press'].includes(route.subject);
        if ((isNamed || naming.includes(nameOf(route))) && status !== 404) report(line);
        if (route.subject === 'person' && status !== 403) report(line);
      }
  }));

test('what is named by its plan is not found through a plan of another organisation', () =>
  judge(async (report) => {
    const token = tokenOf(elsewhere, 'requester');
    for (const [method, path, body] of [
      ['GET', `artifacts/${artifact}`, undefined],
      ['POST', `findings/${named.finding}`, { action: 'dismiss' }],
    ] as const) {
      const { status, body: answer } = await ask(
        token,
        method,
        `/api/plans/${named.theirs}/${path}`,
        body,
      );
      if (status !== 404 || answer.includes(secret)) report(`${path}: ${status} ${answer}`);
    }
  }));

test('people of the organisation reach what their role is for', () =>
  judge(async (report) => {
    // Reads before deletions.
    const last = guarded().toSorted(
      (a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'),
    );
    for (const route of last) {
      const isOwn = owned.includes(nameOf(route)) || isSaid(route);
      const tried: Role[] = isOwn ? ['requester'] : [route.role, 'admin'];
      for (const role of new Set(tried)) {
        const { status, code, body } = await go(tokenOf(here, role), route, accountOf(here, role));
        const line = `${role}: ${nameOf(route)}: ${status} ${body.slice(0, 200)}`;
        if (nameOf(route) === 'POST /api/tokens') {
          if (code !== 'forbidden') report(line);
          continue;
        }
        // Tested below; `/metrics` is also open locally.
        if (route.subject === 'instance' && route.url !== '/metrics') {
          if (code !== 'forbidden') report(line);
          continue;
        }
        // Reserved for others by approver rules.
        if (
          status === 401 ||
          status === 404 ||
          status >= 500 ||
          (status === 403 && code !== 'not_allowed')
        )
          report(line);
      }
    }
  }));

test('what is said in a conversation is for those who are in it, whatever the role of others', () =>
  judge(async (report) => {
    const messageRoutes = guarded().filter(isSaid);
    expect(messageRoutes.length).toBeGreaterThan(12);
    const others = [
      ...roles(here).filter(([role]) => role !== 'requester'),
      ['operator', operator],
    ];
    for (const route of messageRoutes)
      for (const [who = '', token = ''] of others) {
        const { status, body } = await go(token, route, accountOf(here, 'requester'));
        if ((status === 404 || status === 403) && !body.includes(secret)) continue;
        report(`${who}: ${nameOf(route)}: ${status} ${body.slice(0, 200)}`);
      }
  }));

test('who is not in a conversation learns that it is there, and of its plan only what the plan says', async () => {
  const read = async (token: string, path: string) =>
    JSON.parse((await ask(token, 'GET', path)).body);
  const me = accountOf(here, 'requester');
  const own = tokenOf(here, 'requester');
  const admin = tokenOf(here, 'admin');
  const listed = async (token: string, user?: string) =>
    (await read(token, `/api/conversations${user === undefined ? '' : `?user=${user}`}`))
      .conversations;
  expect(await listed(own)).toContainEqual(
    expect.objectContaining({
      id: named.conversation,
      kind: 'api',
      title: expect.stringContaining(secret),
    }),
  );
  for (const conversations of [await listed(operator, me), await listed(operator)])
    expect(conversations).toContainEqual(
      expect.objectContaining({ id: named.conversation, title: '', plans: expect.any(Number) }),
    );
  const seen = await listed(admin);
  expect(seen).toContainEqual(
    expect.objectContaining({ id: named.conversation, kind: 'api', person: me, title: '' }),
  );
  expect(JSON.stringify(seen)).not.toContain(secret);
  expect((await read(admin, '/api/conversations?mine=true')).conversations).toEqual([]);
  expect(await listed(tokenOf(elsewhere, 'admin'))).not.toContainEqual(
    expect.objectContaining({ id: named.conversation }),
  );
  expect(await listed(operator, 'somebody')).toEqual([]);
  await instance.db.query.execute(sql`
    update countersign.plans set run_id = ${named.run} where id = ${named.plan}`);
  await instance.db.query.execute(sql`
    update countersign.runs set decision_reason = ${secret} where id = ${named.run}`);
  const trace = (token: string) => read(token, `/api/plans/${named.plan}/trace`);
  expect(await trace(own)).toMatchObject({ reason: secret });
  expect(await trace(admin)).toMatchObject({ reason: null, entries: [] });
});

test('the operator reaches what concerns every organisation', () =>
  judge(async (report) => {
    for (const route of guarded().filter(({ subject }) => subject === 'instance')) {
      const { status, code, body } = await go(operator, route);
      const isAbsent = route.url.includes(':server') && code === 'not_found';
      if (status >= 400 && !isAbsent) report(`${nameOf(route)}: ${status} ${body}`);
    }
  }));

test('a key that somebody used is not theirs in another organisation, and no other person’s', async () => {
  const headers = { 'idempotency-key': 'nightly' };
  const wanted = { title: secret, steps: [noop('a')] };
  const account = accountOf(here, 'requester');
  const inBoth = await instance.identity.createToken(
    account,
    { name: 'CI', role: 'requester', days: 1, tenant: elsewhere },
    person('local', 'terminal'),
  );
  const proposed = await Promise.all(
    [
      tokenOf(here, 'requester'),
      inBoth.token,
      tokenOf(here, 'approver'),
      tokenOf(here, 'requester'),
    ].map(
      async (token) =>
        JSON.parse((await ask(token, 'POST', '/api/plans', wanted, headers)).body).id,
    ),
  );
  expect(new Set(proposed).size).toBe(3);
  expect(proposed[3]).toBe(proposed[0]);
});

test('a stream ends once the token of its reader is revoked', async () => {
  const account = accountOf(here, 'requester');
  const by = person('local', 'terminal');
  const wanted = { name: 'short', role: 'viewer', days: 1, tenant: here } as const;
  for (const path of [
    `/api/plans/${named.plan}/events`,
    `/api/conversations/${named.conversation}/events`,
  ]) {
    const { token, facts } = await instance.identity.createToken(account, wanted, by);
    const response = await fetch(site + path, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(200);
    let ended = false;
    const read = response.text().then(() => {
      ended = true;
    });
    expect((await ask(token, 'GET', '/api/me')).status).toBe(200);
    expect(ended).toBe(false);
    await instance.identity.revokeToken(facts.id, null, by);
    await waitFor('the stream to end', () => ended);
    await read;
  }
});
