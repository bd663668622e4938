// Servers that violate the protocol: valid parts work.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import type { JsonObject } from '#domain/text.ts';
import { megabyte, pour } from '../../fixtures/pour.ts';
import { type Bench, openBench, toolContext } from '../../unit/tools/tool-bench.ts';
import { waitFor } from '../../wait.ts';

const server = join(import.meta.dirname, '../../fixtures/odd-server.ts');

const benches: Bench[] = [];
const folders: string[] = [];
const hosts: Server[] = [];

afterEach(async () => {
  for (const bench of benches.splice(0)) await bench.close();
  for (const host of hosts.splice(0)) {
    host.closeAllConnections();
    host.close();
  }
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

const answer = (result: unknown): string =>
  `{"jsonrpc":"2.0","id":$id,"result":${JSON.stringify(result)}}`;

async function open(answers: { [method: string]: string[] }, more = {}): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-odd-'));
  folders.push(folder);
  const path = join(folder, 'answers.json');
  const listed = Object.entries(answers).map(([method, lines]) => ({ method, lines }));
  await writeFile(path, JSON.stringify(listed));
  const odd = { command: process.execPath, args: [server, path], trusted: true, ...more };
  const bench = await openBench({ mcpServers: { odd } }, { startWaitMs: 30_000, retryMs: 50 });
  benches.push(bench);
  return bench;
}

const statusOf = ({ registry }: Bench) => registry.status().find(({ tool }) => tool === 'odd');
const offered = ({ registry }: Bench) =>
  registry
    .list()
    .filter(({ tool }) => tool === 'odd')
    .map(({ operation }) => operation);
const call = ({ registry }: Bench, name: string, args: JsonObject = {}) =>
  registry.get(`odd_${name}`)?.call(args, toolContext());

const object = { type: 'object' };

test('odd tools take no sound one with them, and each is named with a reason', async () => {
  const odd = [
    { name: 'a', inputSchema: null },
    { name: 'b', inputSchema: { properties: [], required: null } },
    { name: 'c', title: null, description: null, annotations: 'none', _meta: 7, icons: 3 },
    { name: 'd', inputSchema: { ...object, properties: { id: { nullable: true, enum: [] } } } },
    {
      name: 'e',
      inputSchema: object,
      outputSchema: { type: 7, $ref: '#/nowhere' },
      execution: null,
    },
    { name: 'with space', inputSchema: object, description: 'x'.repeat(200_000) },
    { name: 'ünï', inputSchema: object },
    { name: 'read.file', inputSchema: object },
    { name: 'read_file', inputSchema: object },
    { name: '', inputSchema: object },
    { name: 'x'.repeat(200), inputSchema: object },
    { name: 'list', inputSchema: { type: 'array' } },
    { name: 'nowhere', inputSchema: { ...object, $ref: '#/nowhere' } },
    null,
    'tool',
  ];
  const bench = await open({ 'tools/list': [answer({ tools: odd })] });
  expect(statusOf(bench)).toMatchObject({ ok: true });
  expect(offered(bench)).toEqual(['a', 'b', 'c', 'd', 'e', 'with space', 'ünï', 'read.file']);
  const notes = statusOf(bench)?.notes ?? [];
  expect(notes).toHaveLength(7);
  for (const name of ['read_file', 'tool 10', 'xxx', 'list', 'nowhere', 'tool 14', 'tool 15'])
    expect(notes.some((note) => note.startsWith(name))).toBe(true);
});

test.each<[string, string[], JsonObject | RegExp]>([
  ['no content', [answer({ content: null })], { text: '' }],
  ['a text for content', [answer({ content: 'hi' })], { text: 'hi' }],
  ['null for structured content', [answer({ content: [], structuredContent: null })], { text: '' }],
  ['a list for structured content', [answer({ structuredContent: [1] })], { result: [1] }],
  [
    'a part of no known kind',
    [answer({ content: [{ type: 'video', url: 'u' }] })],
    { text: '{"type":"video","url":"u"}' },
  ],
  ['a failure in words', [answer({ content: ['no'], isError: 'true' })], /^no$/],
  [
    'a banner, a batch and ids nobody asked for',
    [
      'Hello',
      '{"level":30}',
      '[{"jsonrpc":"2.0","id":99,"result":{}},{"jsonrpc":"2.0","method":"x","params":null}]',
      `[${answer({ content: ['hi'] })}]`,
    ],
    { text: 'hi' },
  ],
  ['a CRLF', [`${answer({ content: ['hi'] })}\r`], { text: 'hi' }],
  ['more than is read', [answer({ content: [{ type: 'text', text: 'big:10000000' }] })], /4.0 MB/],
  ['noise of ten megabytes', ['big:10000000', answer({ content: ['hi'] })], { text: 'hi' }],
  [
    'a storm of progress that nobody asked for',
    [
      '!times 30000 {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"x","progress":1}}',
      answer({ content: ['hi'] }),
    ],
    { text: 'hi' },
  ],
  [
    'a storm of log lines and of new tool lists',
    [
      '!times 3000 {"jsonrpc":"2.0","method":"notifications/message","params":{"level":"x","data":null}}',
      '!times 300 {"jsonrpc":"2.0","method":"notifications/tools/list_changed"}',
      answer({ content: ['hi'] }),
    ],
    { text: 'hi' },
  ],
  [
    'ids that are null, a text, a fraction and an object',
    [
      '{"jsonrpc":"2.0","id":null,"result":{"content":["wrong"]}}',
      '{"jsonrpc":"2.0","id":1.5,"result":{"content":["wrong"]}}',
      '{"jsonrpc":"2.0","id":{},"result":{"content":["wrong"]}}',
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}',
      answer({ content: ['hi'] }),
    ],
    { text: 'hi' },
  ],
  ['an id that is a text', [answer({ content: ['hi'] }).replace('$id', '"$id"')], { text: 'hi' }],
  [
    'bytes that are no UTF-8',
    ['!hex fffe7b7d0a', '!hex 7b226d223a22e9227d0a', answer({ content: ['hi'] })],
    { text: 'hi' },
  ],
  [
    'a request of its own',
    [
      '{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":null}',
      answer({ content: ['hi'] }),
    ],
    { text: 'hi' },
  ],
  [
    'links with odd addresses',
    [
      answer({
        content: [' ', 'javascript:alert(1)', 'file:///etc/passwd'].map((uri) => ({
          type: 'resource_link',
          uri,
        })),
      }),
    ],
    { text: '' },
  ],
  [
    'a hundred thousand links',
    [answer({ content: Array(100_000).fill({ type: 'resource_link', uri: 'a' }) })],
    { text: '[99,000 more parts of the result left out]' },
  ],
  [
    'a hundred thousand texts',
    [answer({ content: Array(100_000).fill({ type: 'text', text: 'a' }) })],
    { text: Array(100_000).fill('a').join('\n') },
  ],
])(
  'a call that is answered with %s has an outcome, and the server stays',
  async (_, lines, outcome) => {
    const bench = await open({
      'tools/list': [answer({ tools: [{ name: 'say' }, { name: 'ping' }] })],
      'tools/call say': lines,
      'tools/call ping': [answer({ content: [{ type: 'text', text: 'pong' }] })],
    });
    if (outcome instanceof RegExp) await expect(call(bench, 'say')).rejects.toThrow(outcome);
    else await expect(call(bench, 'say')).resolves.toMatchObject({ data: outcome });
    await expect(call(bench, 'ping')).resolves.toMatchObject({ data: { text: 'pong' } });
  },
);

test('a list that leads back to its own page or on for ever, and one of ten thousand tools, come to an end', async () => {
  const tools = Array.from({ length: 10_000 }, (_, at) => ({ name: `tool ${at}` }));
  const circle = await open({
    'tools/list': [answer({ tools: [{ name: 'one' }], nextCursor: 'a' })],
  });
  expect(offered(circle)).toEqual(['one']);
  const pages = await open({
    'tools/list': [
      '{"jsonrpc":"2.0","id":$id,"result":{"tools":[{"name":"t$id"}],"nextCursor":"page $id"}}',
    ],
  });
  expect(offered(pages)).toHaveLength(100);
  const many = await open({ 'tools/list': [answer({ tools })] });
  await waitFor('the list to be read', async () => offered(many).length === 2000);
  expect(statusOf(many)?.notes?.[0]).toMatch(/^8,000 more tools/);
});

test.each<[string, { [method: string]: string[] }]>([
  [
    'speaks before it is asked',
    { start: ['hi', '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'] },
  ],
  ['writes a megabyte to stderr', { start: [...Array(20).fill('!stderr big:50000')] }],
])('a server that %s is used', async (_, more) => {
  const bench = await open({ ...more, 'tools/list': [answer({ tools: [{ name: 'one' }] })] });
  expect(offered(bench)).toEqual(['one']);
});

test('a server that speaks a revision nobody knows is named with the reason', async () => {
  const bench = await open({
    initialize: [
      '{"jsonrpc":"2.0","id":$id,"result":{"protocolVersion":"1999-01-01","capabilities":{},"serverInfo":{"name":"odd","version":"1"}}}',
    ],
  });
  expect(statusOf(bench)).toMatchObject({ ok: false });
  expect(statusOf(bench)?.reason).toContain('1999-01-01');
});

test.each<[string, string[]]>([
  ['on a line of its own', ['!stderr token s3cr3t-value-1234567890\n', '!exit']],
  [
    'where the line is cut',
    [`!stderr ${'x'.repeat(290)}s3cr3t-value-1234567890${'y'.repeat(285)}\n`, '!exit'],
  ],
  ['among colours', ['!stderr \u001b[31ms3cr3t-value-\u001b[0m1234567890\u0000\n', '!exit']],
])('a secret that a program prints as it ends is not shown: %s', async (_, start) => {
  const env = { TOKEN: 's3cr3t-value-1234567890' };
  const bench = await open({ start }, { env });
  const reason = statusOf(bench)?.reason ?? '';
  expect(reason).toContain('Last output');
  expect(reason).not.toMatch(/s3cr3|et-value|567890|\p{Cc}/u);
});

const json = (response: ServerResponse, body: unknown) =>
  response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
const events = { 'content-type': 'text/event-stream' };

async function openHost(
  say: (response: ServerResponse, id: number) => unknown,
  type: 'http' | 'sse' = 'http',
): Promise<Bench> {
  let stream: ServerResponse | null = null;
  const host = createServer(async (request, response) => {
    if (request.method === 'GET' && type === 'sse') {
      stream = response.writeHead(200, events);
      stream.write('event: endpoint\ndata: /post\n\n');
      return;
    }
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(await text(request));
    if (id === undefined) return void response.writeHead(202).end();
    const results: { [method: string]: unknown } = {
      initialize: {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'odd', version: '1' },
      },
      'tools/list': { tools: [{ name: 'say' }, { name: 'ping' }] },
      'tools/call': { content: ['pong'] },
    };
    const result = results[method];
    const body = {
      jsonrpc: '2.0',
      id,
      ...(result === undefined ? { error: { code: -32_601, message: 'no' } } : { result }),
    };
    if (stream !== null) response.writeHead(202).end();
    if (params?.name === 'say') await say(stream ?? response, id);
    else if (stream === null) json(response, body);
    else stream.write(`data: ${JSON.stringify(body)}\n\n`);
  });
  hosts.push(host);
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  const address = host.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const odd = { type, url: `http://127.0.0.1:${port}/mcp`, trusted: true, timeout_ms: 20_000 };
  const bench = await openBench({ mcpServers: { odd } }, { startWaitMs: 30_000, retryMs: 50 });
  benches.push(bench);
  return bench;
}

const eventOf = (id: number, text: string) =>
  `data: {"jsonrpc":"2.0","id":${id},"result":{"content":["${text}"]}}\n\n`;

test.each<
  [string, 'http' | 'sse', (response: ServerResponse, id: number) => unknown, JsonObject | RegExp]
>([
  [
    'JSON without an end',
    'http',
    (response, id) => {
      response
        .setHeader('content-type', 'application/json')
        .write(`{"jsonrpc":"2.0","id":${id},"result":{"content":["`);
      return pour(response);
    },
    /4.0 MB/,
  ],
  [
    'an event without an end',
    'http',
    (response, id) => {
      response
        .writeHead(200, events)
        .write(`data: {"jsonrpc":"2.0","id":${id},"result":{"content":["`);
      return pour(response);
    },
    /4.0 MB/,
  ],
  [
    'an event of lines without an end',
    'http',
    (response) => {
      response.writeHead(200, events);
      return pour(response, 'data: x\n'.repeat(10_000));
    },
    /4.0 MB/,
  ],
  [
    'ten megabytes in one event',
    'sse',
    (response, id) => response.write(eventOf(id, megabyte.repeat(10))),
    /4.0 MB/,
  ],
  [
    'ten megabytes of others before it',
    'http',
    (response, id) => {
      response.writeHead(200, events);
      for (let at = 0; at < 10; at += 1) response.write(`: ${megabyte}\n\n`);
      response.end(eventOf(id, 'hi'));
    },
    { text: 'hi' },
  ],
  [
    'an event in bytes of its own, with CRLF',
    'http',
    async (response, id) => {
      response.writeHead(200, events);
      for (const byte of Buffer.from(eventOf(id, 'ä€').replaceAll('\n', '\r\n')))
        response.write(Buffer.of(byte));
      response.end();
    },
    { text: 'ä€' },
  ],
  ['a refusal without an end', 'http', (response) => pour(response.writeHead(500)), /failed/],
  [
    'a page',
    'http',
    (response) => response.setHeader('content-type', 'text/html').end('<p>'),
    /text\/html/,
  ],
  [
    'nothing',
    'http',
    (response) => response.setHeader('content-type', 'application/json').end(),
    /may have acted/,
  ],
])(
  'a call over HTTP that is answered with %s has an outcome, and the server stays',
  async (_, type, say, outcome) => {
    const written: unknown[] = [];
    const bench = await openHost(async (...given) => written.push(await say(...given)), type);
    if (outcome instanceof RegExp) await expect(call(bench, 'say')).rejects.toThrow(outcome);
    else await expect(call(bench, 'say')).resolves.toMatchObject({ data: outcome });
    await expect(call(bench, 'ping')).resolves.toMatchObject({ data: { text: 'pong' } });
    for (const bytes of written)
      if (typeof bytes === 'number') expect(bytes).toBeLessThan(100_000_000);
  },
);
