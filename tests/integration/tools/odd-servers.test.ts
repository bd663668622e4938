// Servers that send what the protocol does not have: what is sound of it works, and the rest is named.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { JsonObject } from '#domain/text.ts';
import { watchLoop } from '../../setup/watch-loop.ts';
import { type Bench, openBench, toolContext } from '../../unit/tools/tool-bench.ts';
import { waitFor } from '../../wait.ts';

const server = join(import.meta.dirname, '../../fixtures/odd-server.ts');
watchLoop();

const benches: Bench[] = [];
const folders: string[] = [];

afterEach(async () => {
  for (const bench of benches.splice(0)) await bench.close();
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

const answer = (result: unknown): string =>
  `{"jsonrpc":"2.0","id":$id,"result":${JSON.stringify(result)}}`;

async function open(answers: { [method: string]: string[] }): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-odd-'));
  folders.push(folder);
  const path = join(folder, 'answers.json');
  const listed = Object.entries(answers).map(([method, lines]) => ({ method, lines }));
  await writeFile(path, JSON.stringify(listed));
  const odd = { command: process.execPath, args: [server, path], trusted: true };
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
  ['more than is read', [answer({ content: [{ type: 'text', text: 'big:10000000' }] })], /10.0 MB/],
  ['noise of ten megabytes', ['big:10000000', answer({ content: ['hi'] })], { text: 'hi' }],
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

test('a list that leads back to its own page, and one of ten thousand tools, come to an end', async () => {
  const tools = Array.from({ length: 10_000 }, (_, at) => ({ name: `tool ${at}` }));
  const circle = await open({
    'tools/list': [answer({ tools: [{ name: 'one' }], nextCursor: 'a' })],
  });
  expect(offered(circle)).toEqual(['one']);
  const many = await open({ 'tools/list': [answer({ tools })] });
  await waitFor('the list to be read', async () => offered(many).length === 2000);
  expect(statusOf(many)?.notes?.[0]).toMatch(/^8,000 more tools/);
});
