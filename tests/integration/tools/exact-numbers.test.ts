// Numbers arrive unchanged, or the call is refused.
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { person } from '#domain/people/actor.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { startApi } from '../../fixtures/api.ts';
import { type Listening, listenOnLoopback } from '../../fixtures/loopback.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import {
  ana,
  openTestInstance,
  reach,
  settleAsRead,
  type TestInstance,
} from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
let web: Listening;
let instance: TestInstance;
let page = '';
let sent: string[] = [];
const [answer, log] = ['answer.json', 'sent.log'].map((name) =>
  join(tmpdir(), `countersign-raw-${process.pid}-${name}`),
) as [string, string];

beforeAll(async () => {
  web = await listenOnLoopback(
    createServer(async (request, response) => {
      if (request.method === 'POST') sent.push(await readText(request));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(request.method === 'GET' ? page : '{}');
    }),
  );
  instance = await openTestInstance(database.url, {
    settings: {
      guardedTools: [],
      http: { allowPrivate: ['127.0.0.1'] },
      mcpServers: {
        raw: {
          command: process.execPath,
          args: [join(import.meta.dirname, '../../fixtures/raw-server.ts'), answer, log],
        },
      },
    },
  });
});
afterAll(async () => {
  await instance.close();
  await web.close();
});
beforeEach(async () => {
  sent = [];
  await writeFile(log, '');
});

/** Confirms outgoing data. @returns the shown data, and the ended steps */
async function run(steps: StepDraft[]) {
  const { service } = instance;
  const plan = await service.propose({ title: 'Send it on', steps }, { user: ana.id }, ana);
  await service.approve(plan.id, { version: 1, digest: plan.digest }, ana);
  const shown: string[] = [];
  return waitFor('the plan to end', async () => {
    const page = await service.listSteps(plan.id, { limit: 10 });
    const waiting = page.steps.filter(({ status }) => status === 'waiting');
    shown.push(...waiting.map(({ final_args }) => JSON.stringify(final_args)));
    if (waiting.length > 0)
      await settleAsRead(
        instance,
        plan.id,
        Object.fromEntries(waiting.map(({ id }) => [id, 'retry' as const])),
      ).catch(() => undefined);
    const { status } = await service.getPlan(plan.id);
    const isOver = ['completed', 'failed', 'stalled'].includes(status) && waiting.length === 0;
    return isOver ? { status, steps: page.steps, shown } : null;
  });
}

const get = (): StepDraft => draftStep('get', 'Get', 'http_get', { url: web.url });
const post = (body: object): StepDraft =>
  draftStep('post', 'Post', 'http_request', {
    url: web.url,
    method: 'POST',
    body: JSON.parse(JSON.stringify(body)),
  });

test.each([
  ['{"id":9007199254740993}', '{"id":9007199254740993}'],
  ['{"id":-12345678901234567890123456789}', '{"id":-12345678901234567890123456789}'],
  [
    '{"id":[9007199254740993,{"deep":18446744073709551615}]}',
    '{"id":[9007199254740993,{"deep":18446744073709551615}]}',
  ],
  ['{"id":1.0}', '{"id":1}'],
  ['{"id":0.1000000000000000055}', '{"id":"0.1000000000000000055"}'],
  ['{"id":1e400}', '{"id":"1e400"}'],
  ['{"id":"9007199254740993"}', '{"id":"9007199254740993"}'],
])('%s that was got is posted as %s', async (got, posted) => {
  page = got;
  const { shown } = await run([get(), post({ id: { $from: 'get', path: '/json/id' } })]);
  expect(sent).toEqual([posted]);
  expect(shown.every((args) => args.includes(posted))).toBe(true);
});

test('a whole document, and one in a text, are sent on as they came', async () => {
  page = '{"a":9007199254740993,"b":[1,2]}';
  await run([
    get(),
    post({ $from: 'get', path: '/json' }),
    {
      ...post({}),
      id: 'text',
      args: {
        url: web.url,
        method: 'POST',
        body: { $template: ['got ', { $from: 'get', path: '/json' }] },
      },
    },
  ]);
  expect(sent.toSorted()).toEqual([page, `got ${page}`].toSorted());
});

test('what is proposed over the API is shown and sent with every digit, or refused with the field', async () => {
  const api = await startApi({ service: instance.service });
  const propose = (id: string) =>
    fetch(`${api.origin}/api/plans`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"title":"T","steps":[{"id":"p","description":"P","tool":"http","operation":"request","args":{"url":"${web.url}","method":"POST","body":{"id":${id}}}}]}`,
    });
  const made = Made.parse(await (await propose('9007199254740993')).json());
  const shown = await (await api.get(`/api/plans/${made.id}/steps`)).text();
  expect(shown).toContain('"id":9007199254740993');
  await instance.service.approve(
    made.id,
    { version: 1, digest: made.digest },
    person('local', 'api'),
  );
  await reach(instance, made.id, 'completed');
  expect(sent).toEqual(['{"id":9007199254740993}']);
  const refused = await propose('0.1000000000000000055');
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({
    code: 'invalid_json',
    detail: expect.stringContaining('“id”'),
  });
  await api.close();
});

const Made = z.object({ id: z.string(), digest: z.string() });

const read = (): StepDraft => draftStep('read', 'R', 'raw_read', {});
const write = (path: string): StepDraft =>
  draftStep('write', 'W', 'raw_write', { id: { $from: 'read', path } });

test.each([
  ['{"content":[],"structuredContent":{"id":42}}', '"id":42}'],
  [
    '{"content":[{"type":"text","text":"{\\"id\\":9007199254740993}"}],"structuredContent":{"id":9007199254740993}}',
    '"id":9007199254740993}',
  ],
  [
    '{"content":[{"type":"text","text":"{\\"id\\":0.1000000000000000055}"}],"structuredContent":{"id":0.1000000000000000055}}',
    '"id":"0.1000000000000000055"}',
  ],
])('an MCP server is sent what another call of it answered: %s', async (result, args) => {
  await writeFile(answer, result);
  await run([read(), write('/id')]);
  expect(await readFile(log, 'utf8')).toContain(args);
});
