import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '#domain/text.ts';
import { type Listening, listenOnLoopback } from '../../fixtures/loopback.ts';
import { type Bench, openBench } from './tool-bench.ts';

let bench: Bench;
let server: Listening;
let site: string;
const called = new Set<string>();

const large = JSON.stringify(Array.from({ length: 300_000 }, (_, index) => index));
const bodies: Record<string, { type: string; body: string | Buffer }> = {
  '/json': { type: 'application/json', body: '{"a":[1]}' },
  '/text': { type: 'text/plain; charset=utf-8', body: 'hello' },
  '/long': { type: 'text/plain', body: 'x'.repeat(1_200_000) },
  '/binary': { type: 'image/png', body: Buffer.from([0, 1, 2]) },
  '/large': { type: 'application/json', body: large },
};

beforeAll(async () => {
  const listener = createServer((request, response) => {
    const { type, body } = bodies[request.url ?? ''] ?? { type: 'text/plain', body: '' };
    response.writeHead(200, { 'content-type': type }).end(body);
  });
  server = await listenOnLoopback(listener);
  site = server.url;
  bench = await openBench(
    { http: { allowPrivate: ['127.0.0.1'] } },
    {
      clock: { now: () => new Date('2026-05-01T08:00:00Z') },
      chat: { post: async () => undefined },
      reminders: { set: async () => undefined },
      textModel: {
        complete: async ({ prompt }) => ({
          text: prompt.includes('long') ? 'long '.repeat(300_000) : 'short',
          cost_usd: 0.01,
        }),
      },
    },
  );
  const put = async (path: string, content: string | Buffer) => {
    await mkdir(dirname(join(bench.workspace, path)), { recursive: true });
    await writeFile(join(bench.workspace, path), content);
  };
  await put('a.txt', 'hello');
  await put('a.csv', 'id\n1');
  await put('escapes.txt', '\u0001'.repeat(400_000));
  await put('b.bin', Buffer.from([0, 1]));
  await put('old.txt', 'old');
  await put('away.txt', 'away');
  const deep = join('full', ...Array.from({ length: 13 }, () => 'd'.repeat(250)));
  for (let index = 0; index < 350; index += 1) await put(join(deep, `${index}`), '');
});
afterAll(async () => {
  await bench.close();
  await server.close();
});

const calls: [name: string, args: () => JsonObject, holds: JsonObject | null][] = [
  ['workspace_list', () => ({}), { path: '.' }],
  [
    'workspace_list',
    () => ({ path: 'full', recursive: true }),
    { truncated: true, next: expect.any(String) },
  ],
  ['workspace_read', () => ({ path: 'a.txt' }), { text: 'hello' }],
  ['workspace_read', () => ({ path: 'a.txt', max_bytes: 2 }), { text: 'he', truncated: true }],
  ['workspace_read', () => ({ path: 'escapes.txt' }), { truncated: true }],
  ['workspace_read', () => ({ path: 'b.bin' }), { binary: true }],
  ['workspace_read_table', () => ({ path: 'a.csv' }), { rows: [{ id: '1' }], next: null }],
  ['workspace_search', () => ({ query: 'HELLO', path: 'a.txt' }), { truncated: false }],
  ['workspace_write', () => ({ path: 'new.txt', content: 'x' }), { created: true }],
  ['workspace_edit', () => ({ path: 'new.txt', action: 'append', text: 'y' }), { created: false }],
  ['workspace_copy', () => ({ path: 'a.txt', to: 'copy.txt' }), { created: true, size: 5 }],
  ['workspace_move', () => ({ from: 'old.txt', to: 'older.txt' }), { path: 'older.txt' }],
  ['workspace_delete', () => ({ path: 'away.txt' }), { path: 'away.txt' }],
  ['http_get', () => ({ url: `${site}/json` }), { json: { a: [1] } }],
  ['http_get', () => ({ url: `${site}/text` }), { text: 'hello' }],
  ['http_get', () => ({ url: `${site}/long` }), { truncated: true, status: 200 }],
  ['http_get', () => ({ url: `${site}/binary` }), { binary: true }],
  ['http_get', () => ({ url: `${site}/large` }), { truncated: true, preview: expect.anything() }],
  ['http_request', () => ({ url: `${site}/json`, method: 'POST' }), { json: { a: [1] } }],
  ['chat_post', () => ({ text: 'hi' }), { conversation: 'console:1' }],
  ['reminder_set', () => ({ text: 'x', at: '2026-05-04T09:30' }), { rrule: null }],
  ['reminder_set', () => ({ text: 'x', rrule: 'FREQ=DAILY' }), { rrule: 'FREQ=DAILY' }],
  [
    'calendar_add',
    () => ({ title: 'Standup', start: '2026-05-04T09:30', rrule: 'FREQ=DAILY', location: 'Hall' }),
    { title: 'Standup' },
  ],
  ['calendar_add', () => ({ title: 'Holiday', start: '2026-05-05' }), { title: 'Holiday' }],
  ['calendar_read', () => ({ from: '2026-05-04', to: '2026-05-06' }), { count: 2 }],
  ['text_write', () => ({ instructions: 'a poem' }), { text: 'short' }],
  ['text_write', () => ({ instructions: 'a long poem' }), { truncated: true }],
  ['text_summarize', () => ({ text: 'a story' }), { text: 'short' }],
  ['plan_report', () => ({ severity: 'WARN', message: 'Odd.' }), null],
  ['control_noop', () => ({}), null],
  ['control_wait', () => ({ seconds: 0 }), { seconds: 0 }],
];

const ajv = new Ajv2020({ allErrors: true });

function misfits(name: string, data: Json): unknown[] {
  const output = bench.registry.get(name)?.output;
  if (output === undefined) throw new Error(`${name} says nothing of its output`);
  const validate = ajv.compile(output);
  return validate(data) ? [] : (validate.errors ?? []);
}

describe('the output of', () => {
  it.each(calls)('%s is as it was declared', async (name, args, holds) => {
    called.add(name);
    const { data } = await bench.call(name, args());
    expect(misfits(name, data)).toEqual([]);
    if (holds === null) expect(data).toBeNull();
    else expect(data).toMatchObject(holds);
  });

  it('every operation that answers by itself was looked at', () => {
    const names = bench.registry.list().filter(({ human }) => human !== true);
    expect([...called].sort()).toEqual(names.map(({ name }) => name).sort());
  });

  it.each(['workspace_write', 'control_wait', 'text_write', 'http_get', 'control_noop'])(
    '%s is told apart from others',
    (name) => {
      expect(misfits(name, { path: 'a.txt', more: true })).not.toEqual([]);
    },
  );
});
