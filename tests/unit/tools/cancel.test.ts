import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSocketServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createChatModel } from '#models/chat-model.ts';
import { createModelClient } from '#models/client.ts';
import { createTextModel } from '#models/text-model.ts';
import { listenOnLoopback } from '../../fixtures/loopback.ts';
import { waitFor } from '../../wait.ts';
import { type Bench, openBench } from './tool-bench.ts';

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function serveNever(listener: RequestListener = () => undefined) {
  const came = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    response.once('close', () => left.resolve());
    listener(request, response);
    came.resolve();
  });
  const { port, close } = await listenOnLoopback(server);
  closers.push(close);
  return { port, came: came.promise, left: left.promise };
}

async function open(settings = {}, options = {}): Promise<Bench> {
  const bench = await openBench({ http: { allowPrivate: ['127.0.0.1'] }, ...settings }, options);
  closers.push(() => bench.close());
  return bench;
}

describe('a web call', () => {
  it.each(['http_get', 'http_request'])('closes its socket: %s', async (name) => {
    const bench = await open();
    const { port, came, left } = await serveNever();
    const abort = new AbortController();
    const method = name === 'http_get' ? {} : { method: 'POST', body: 'x' };
    const args = { url: `http://127.0.0.1:${port}/`, ...method };
    const failed = bench.fail(name, args, { signal: abort.signal });
    await came;
    abort.abort();
    expect((await failed).code).toBe('cancelled');
    await left;
  });

  it('closes its socket in the middle of an answer', async () => {
    const bench = await open();
    const { port, came, left } = await serveNever((_, response) => {
      response.writeHead(200).write('the beginning');
    });
    const abort = new AbortController();
    const url = `http://127.0.0.1:${port}/`;
    const failed = bench.fail('http_get', { url }, { signal: abort.signal });
    await came;
    abort.abort();
    expect((await failed).code).toBe('cancelled');
    await left;
  });

  it('that reads a calendar is given up, even before the connection is there', async () => {
    const server = createSocketServer();
    const handshake = once(server, 'connection').then(([socket]: Socket[]) =>
      socket === undefined ? undefined : once(socket, 'data'),
    );
    const { port } = await listenOnLoopback(server);
    closers.push(async () => server.close());
    const bench = await open({ calendars: { team: `https://127.0.0.1:${port}/team.ics` } });
    const abort = new AbortController();
    const failed = bench.fail('calendar_read', { calendar: 'team' }, { signal: abort.signal });
    await handshake;
    abort.abort();
    expect((await failed).code).toBe('cancelled');
  });
});

it('the call of a model closes its socket', async () => {
  const { port, came, left } = await serveNever();
  const client = createModelClient({ apiKey: 'k', baseUrl: `http://127.0.0.1:${port}/v1` });
  const model = createChatModel({ client, api: 'chat', name: 'gpt-6-luna' });
  const textModel = createTextModel(() => model);
  const bench = await open({}, { textModel });
  const abort = new AbortController();
  const args = { instructions: 'Write.' };
  const failed = bench.fail('text_write', args, { signal: abort.signal });
  await came;
  abort.abort();
  expect((await failed).code).toBe('cancelled');
  await left;
});

it('a wait ends', async () => {
  const bench = await open();
  const abort = new AbortController();
  const failed = bench.fail('control_wait', { seconds: 50 }, { signal: abort.signal });
  abort.abort();
  expect((await failed).code).toBe('cancelled');
});

it('the server of a tool is told', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-cancel-'));
  closers.push(() => rm(folder, { recursive: true }));
  const log = join(folder, 'log');
  await writeFile(log, '');
  const script = join(import.meta.dirname, '../../fixtures/cancellable-server.ts');
  const command = { command: process.execPath, args: [script, log] };
  const bench = await open({ mcpServers: { slow: command } }, { startWaitMs: 30_000 });
  const abort = new AbortController();
  const failed = bench.fail('slow_wait', { label: 'one' }, { signal: abort.signal });
  const lines = async () => (await readFile(log, 'utf8')).trim().split('\n');
  await waitFor('the call to begin', async () => (await lines()).includes('began one'));
  abort.abort();
  expect((await failed).code).toBe('cancelled');
  await waitFor('the server to know', async () => (await lines()).includes('cancelled one'));
});

describe('the workspace', () => {
  /** Aborts at the check `times`, inside a loop. */
  function abortAfter(times: number): AbortSignal {
    const abort = new AbortController();
    let asked = 0;
    return new Proxy(abort.signal, {
      get(signal, key) {
        if (key === 'aborted' && ++asked === times) abort.abort();
        const value: unknown = Reflect.get(signal, key, signal);
        return typeof value === 'function' ? value.bind(signal) : value;
      },
    });
  }

  async function openWithFiles(): Promise<Bench> {
    const bench = await open();
    for (const folder of ['a', 'b']) {
      await mkdir(join(bench.workspace, 'many', folder), { recursive: true });
      for (let i = 0; i < 20; i++)
        await writeFile(join(bench.workspace, 'many', folder, `${i}.txt`), 'x');
    }
    return bench;
  }
  const countFiles = async (bench: Bench) =>
    (await readdir(join(bench.workspace, 'many'), { recursive: true })).filter((name) =>
      name.endsWith('.txt'),
    ).length;

  it('stops deleting in the middle of a folder, and deletes it all when it is not stopped', async () => {
    const bench = await openWithFiles();
    const args = { path: 'many', recursive: true };
    const error = await bench.fail('workspace_delete', args, { signal: abortAfter(10) });
    expect(error.code).toBe('cancelled');
    const left = await countFiles(bench);
    expect(left).toBeGreaterThan(20);
    expect(left).toBeLessThan(40);
    expect((await bench.call('workspace_delete', args)).summary).toBe('Deleted the folder many.');
    expect(await readdir(bench.workspace)).not.toContain('many');
  });

  it('stops listing in the middle of a folder', async () => {
    const bench = await openWithFiles();
    const args = { path: 'many', recursive: true };
    const error = await bench.fail('workspace_list', args, { signal: abortAfter(30) });
    expect(error.code).toBe('cancelled');
  });

  it('does not change a calendar whose turn comes after the end', async () => {
    const bench = await open();
    const abort = new AbortController();
    const event = { title: 'Call', start: '2026-05-04T09:00' };
    const added = Array.from({ length: 20 }, (_, i) =>
      bench.call('calendar_add', event, {
        idempotencyKey: `${i}`,
        signal: i === 0 ? new AbortController().signal : abort.signal,
      }),
    );
    abort.abort();
    const ends = await Promise.allSettled(added);
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', ...Array(19).fill('rejected')]);
    const ics = await readFile(join(bench.workspace, 'calendar.ics'), 'utf8');
    expect(ics.match(/BEGIN:VEVENT/g)).toHaveLength(1);
  });
});
