// Invalid requests to every API route get a problem, never a 5xx.
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { startApi, type TestApi } from '../../fixtures/api.ts';
import { type OpenIdDouble, startOpenId } from '../../fixtures/open-id.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { openTestInstance, scriptedPlanner, type TestInstance } from '../../setup/instance.ts';

const database = useDatabase();
let openId: OpenIdDouble;
let instance: TestInstance;
let api: TestApi;
let asked = 0;
let plan = '';
let routes: { method: string; path: string }[] = [];

const Document = z.object({ paths: z.record(z.string(), z.record(z.string(), z.unknown())) });

beforeAll(async () => {
  const planner = scriptedPlanner(() => ({ kind: 'answer', text: 'Hello.' }));
  openId = await startOpenId(['http://127.0.0.1:1/sign-in/corp/callback']);
  instance = await openTestInstance(database.url, {
    planner,
    settings: {
      identity: { providers: { corp: { ...openId.provider, allowed_domains: ['corp.example'] } } },
    },
    env: { COUNTERSIGN_PUBLIC_URL: 'http://127.0.0.1:1' },
  });
  api = await startApi({
    service: instance.service,
    identity: { identity: instance.identity, secure: false },
    callbacks: { answer: instance.answerCallback },
    mcp: { operations: async () => [], guarded: [], linkTo: () => null },
    requestsPerMinute: 1_000_000,
    settings: {
      read: async () => ({}) as never,
      check: async () => [],
      connectModel: async () => [],
      disconnectModel: async () => false,
    },
  });
  const proposed = await api.post('/api/plans', {
    title: 'Read a.md',
    steps: [draftStep('1', 'Read', 'workspace_read', { path: 'a.md' })],
  });
  expect(proposed.status).toBe(201);
  plan = z.object({ id: z.string() }).parse(await proposed.json()).id;
  const { paths } = Document.parse(await (await api.get('/openapi.json')).json());
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
  );
  const hidden = [
    ...['/sign-in/{provider}', '/sign-in/{provider}/callback', '/mcp'].map((path) => ['GET', path]),
    ...['POST', 'DELETE'].map((method) => [method, '/mcp']),
  ].map(([method = '', path = '']) => ({ method, path }));
  routes = [...documented, ...hidden];
});
afterAll(async () => {
  await api.close();
  await instance.close();
  await openId.close();
});

type Sent = {
  method: string;
  path: string;
  headers?: Record<string, string | string[]>;
  body?: string;
};

async function findFault({
  method,
  path,
  headers: given = {},
  body,
}: Sent): Promise<string | null> {
  // Sign-in is rate-limited by address.
  asked += 1;
  const from = { 'x-forwarded-for': `10.0.${asked >> 8}.${asked & 255}` };
  const headers = path.startsWith('/sign-in/') ? { ...from, ...given } : given;
  const what = `${method} ${path.slice(0, 80)} ${JSON.stringify(headers).slice(0, 80)} ${(body ?? '').slice(0, 60)}`;
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = httpRequest(
      { host: '127.0.0.1', port: api.port, path, method, headers },
      resolve,
    );
    outgoing.setTimeout(20_000, () => outgoing.destroy(new Error('no answer')));
    outgoing.once('error', reject).end(body);
  }).catch((error: unknown) => String(error));
  if (typeof response === 'string') return `${what}: ${response}`;
  const { statusCode = 0 } = response;
  const type = response.headers['content-type'] ?? '';
  if (statusCode < 400) {
    response.destroy();
    return null;
  }
  const text = await readText(response);
  if (statusCode >= 500 && !path.includes('readyz')) return `${what}: ${statusCode} ${text}`;
  const isError = path.startsWith('/mcp') ? type.includes('json') : type.includes('problem+json');
  return isError || method === 'HEAD' ? null : `${what}: ${statusCode} ${type}`;
}

async function findFaults(sent: Sent[]): Promise<string[]> {
  const faults: string[] = [];
  const left = [...sent];
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let one = left.pop(); one !== undefined; one = left.pop()) {
        const fault = await findFault(one);
        if (fault !== null) faults.push(fault);
      }
    }),
  );
  return faults;
}

const filled = (path: string, segment: string) =>
  path.replace('{provider}', segment === plan ? 'corp' : '{provider}').replace(/\{\w+\}/g, segment);
const json = { 'content-type': 'application/json' };

test('the walk knows the routes', () => {
  expect(routes.length).toBeGreaterThan(50);
});

const segments = [
  '%00',
  'PLAN-1%00',
  '%ff',
  '%',
  '%2',
  '%zz',
  '%2e%2e',
  '..%2f..%2fetc',
  '%c0%ae',
  '%ed%a0%80',
  '%0d%0a',
  '%20',
  "'%3b--",
  '__proto__',
  'constructor',
  'x'.repeat(999),
  'x'.repeat(3000),
  '%e2%80%ae',
  '-1',
  '1e999',
];

test.each(segments)('in the path: %s', async (segment) => {
  const named = routes
    .filter(({ path }) => path.includes('{'))
    .map(({ method, path }) => ({
      method,
      path: filled(path, segment),
      headers: json,
      body: method === 'GET' ? '' : '{}',
    }));
  const added = routes
    .slice(0, 5)
    .map(({ path }) => ({ method: 'GET', path: `${filled(path, 'a')}/${segment}` }));
  expect(await findFaults([...named, ...added])).toEqual([]);
});

test('a path that cannot be read names nothing', async () => {
  for (const segment of ['%00', '%ff', '%', '%zz']) {
    const response = await fetch(`${api.origin}/api/plans/${segment}`);
    expect([404, 422]).toContain(response.status);
    expect(response.headers.get('content-type')).toContain('application/problem+json');
  }
});

const headers: Record<string, string | string[]>[] = [
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/json; charset=latin1' },
  { 'content-type': 'application/json; charset="' },
  { 'content-type': ';;;' },
  { 'content-type': 'multipart/form-data' },
  { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  { ...json, accept: 'image/png;q=x, */*' },
  { ...json, accept: '' },
  { ...json, 'idempotency-key': '' },
  { ...json, 'idempotency-key': 'k'.repeat(300) },
  { ...json, 'idempotency-key': '\u00ff\u00a0' },
  { ...json, 'idempotency-key': ['a', 'b'] },
  { ...json, authorization: 'Bearer' },
  { ...json, authorization: 'Bearer \u00ff' },
  { ...json, authorization: 'Basic %%%' },
  { ...json, authorization: ['Bearer a', 'Bearer b'] },
  { ...json, cookie: '=;;=\u00ff; a' },
  { ...json, origin: 'null' },
  { ...json, origin: '::::' },
  { ...json, host: '[' },
  { ...json, 'x-forwarded-for': 'nobody, [::' },
  { ...json, 'if-none-match': '*,"' },
  { ...json, range: 'bytes=9-1' },
  { ...json, 'last-event-id': '-1e99' },
  { ...json, 'x-odd': 'x'.repeat(7000) },
];

test.each(headers.map((one) => [JSON.stringify(one).slice(0, 70), one] as const))(
  'with the headers %s',
  async (_, given) => {
    const sent = routes.map(({ method, path }) => ({
      ...{ method, headers: given },
      path: filled(path, plan),
      body: method === 'GET' ? '' : '{}',
    }));
    expect(await findFaults(sent)).toEqual([]);
  },
);

const queries = [
  'limit=1e99',
  'limit=-1',
  'limit[]=1&limit[]=2',
  'limit=1&limit=2',
  'cursor=%00',
  'cursor=bm90IGEgY3Vyc29y',
  'cursor=W10',
  '__proto__[a]=1&constructor=2',
  'status=%ff&q=%00',
  'q=%ed%a0%80',
  'after=%00&since=%00&user=%00',
  'from=99999999999999999999&to=x',
  'back=//evil.example&back=%00',
  'code=%00&state=%ff&iss=%00',
  'code=a&state=b&state=c&iss=x&session_state=%ed%a0%80',
  'error=access_denied&error_description=%00%ff',
  'response=eyJhbGciOiJub25lIn0.e30.',
  `q=${'x'.repeat(4000)}`,
  '%',
];

test.each(queries)('with the query %s', async (query) => {
  const sent = routes
    .filter(({ method }) => method === 'GET')
    .map(({ method, path }) => ({ method, path: `${filled(path, plan)}?${query}` }));
  expect(await findFaults(sent)).toEqual([]);
});

const odd = 'a\\u0000b';
const fields = [
  'text',
  'user',
  'title',
  'conversation',
  'reason',
  'feedback',
  'digest',
  'name',
  'note',
  'comment',
];
const bodies = [
  '',
  'null',
  '[]',
  '"x"',
  '7',
  '{',
  '{"__proto__":{"a":1}}',
  '{"text":1,"text":[]}',
  `${'{"a":'.repeat(3000)}1${'}'.repeat(3000)}`,
  '['.repeat(100_000),
  `{${fields.map((name) => `"${name}":"${odd}"`).join(',')}}`,
  `{"text":"\\ud800","title":"\\udc00"}`,
  `{"title":"t","steps":[{"id":"${odd}","description":"d","tool":"workspace","operation":"read","args":{"${odd}":"\\ud800"}}]}`,
  `{"text":"hello ${odd}"}`,
  '{"version":1e999,"digest":{}}',
  '{"version":-0,"digest":"x","steps":{},"except":"y"}',
];

test.each(bodies.map((body) => [body.slice(0, 60), body] as const))(
  'with the body %s',
  async (_, body) => {
    const sent = routes
      .filter(({ method }) => method !== 'GET')
      .map(({ method, path }) => ({
        method,
        path: filled(path, plan),
        headers: json,
        body,
      }));
    expect(await findFaults(sent)).toEqual([]);
  },
);

test.each([
  ['a length that is too long', 'content-length: 5000\r\n\r\n{}'],
  ['a length that is none', 'content-length: x\r\n\r\n{}'],
  ['two lengths', 'content-length: 2\r\ncontent-length: 3\r\n\r\n{}'],
  ['a length beside chunks', 'content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
  ['a NUL in a header', 'x-odd: a\0b\r\ncontent-length: 2\r\n\r\n{}'],
  ['a line without a name', ': x\r\n\r\n'],
  ['a huge header', `x-odd: ${'x'.repeat(100_000)}\r\n\r\n`],
])('%s is refused, or waited for in vain', async (_, rest) => {
  const socket = connect(api.port, '127.0.0.1');
  socket.on('error', () => {});
  socket.end(
    `POST /api/run HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: application/json\r\n${rest}`,
  );
  const answer = await readText(socket).catch(() => '');
  if (answer !== '') expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect((await api.get('/healthz')).status).toBe(200);
});

const rpc = (method: unknown, params: unknown, more: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params, ...more });
const call = (name: unknown, args: unknown) => rpc('tools/call', { name, arguments: args });

test.each([
  rpc('initialize', { protocolVersion: '1999-01-01', capabilities: {}, clientInfo: {} }),
  rpc('initialize', null),
  rpc('tools/list', { cursor: '\0' }),
  rpc('', {}),
  rpc('__proto__', {}),
  rpc(7, []),
  rpc('tools/list', {}, { id: null }),
  rpc('tools/list', {}, { id: { a: 1 } }),
  rpc('tools/list', {}, { id: '\0' }),
  rpc('tools/list', {}, { jsonrpc: '1.0' }),
  `[${rpc('ping', {})},${rpc('ping', {})}]`,
  '[]',
  call('plan_get', { plan: '\0' }),
  call('plan_get', null),
  call('plan_get', 'PLAN-1'),
  call('nothing', {}),
  call(null, {}),
  call('plan_wait', { plan: 'PLAN-1', cursor: '\0', seconds: -1 }),
  call('plan_propose', { title: '\0', steps: [{ id: '\ud800', args: { '\0': 1 } }] }),
  call('operations_search', { query: 'x'.repeat(100_000), limit: -1 }),
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"plan_get","arguments":{"__proto__":1}}}',
  '{"jsonrpc":"2.0","id":1e999,"method":"ping"}',
])('over MCP: %s', async (body) => {
  const accept = 'application/json, text/event-stream';
  const versions: (string | null)[] = [null, '2025-06-18', '1999-01-01', '\u00ff'];
  const sent = versions.map((version) => ({
    method: 'POST',
    path: '/mcp',
    headers: { ...json, accept, ...(version === null ? {} : { 'mcp-protocol-version': version }) },
    body,
  }));
  expect(await findFaults(sent)).toEqual([]);
});
