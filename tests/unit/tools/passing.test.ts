import { createServer, type RequestListener } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { listenOnLoopback } from '../../fixtures/loopback.ts';
import { type Bench, openBench } from './tool-bench.ts';

const closers: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function serve(listener: RequestListener): Promise<string> {
  const { url, close } = await listenOnLoopback(createServer(listener));
  closers.push(close);
  return `${url}/`;
}

async function findDeadUrl(): Promise<string> {
  const { url, close } = await listenOnLoopback(createSocketServer());
  await close();
  return `${url}/`;
}

async function open(http = {}, options = {}): Promise<Bench> {
  const bench = await openBench({ http: { allowPrivate: ['127.0.0.1'], ...http } }, options);
  closers.push(() => bench.close());
  return bench;
}

describe('an answer', () => {
  it.each([
    [400, null],
    [401, null],
    [403, null],
    [404, null],
    [408, 0],
    [409, null],
    [422, null],
    [425, 0],
    [429, 0],
    [500, 0],
    [502, 0],
    [503, 0],
  ])('with the status %i passes after %s ms', async (status, passesAfterMs) => {
    const bench = await open();
    const url = await serve((_, response) => response.writeHead(status).end());
    expect(await bench.fail('http_get', { url })).toMatchObject({
      code: 'tool_failed',
      passesAfterMs,
    });
  });

  it.each([
    ['120', 120_000],
    ['0', 0],
    ['soon', 0],
    ['-5', 0],
    ['Wed, 21 Oct 2026 07:28:30 GMT', 30_000],
    ['Wed, 21 Oct 2026 07:27:00 GMT', 0],
  ])('that asks to wait with Retry-After: %s passes after %i ms', async (value, passesAfterMs) => {
    const bench = await open();
    const url = await serve((_, response) => {
      const date = 'Wed, 21 Oct 2026 07:28:00 GMT';
      response.writeHead(429, { 'retry-after': value, date }).end();
    });
    expect((await bench.fail('http_get', { url })).passesAfterMs).toBe(passesAfterMs);
  });

  it('to a write says whether it was done: not with a 4xx, and with a 5xx nobody knows', async () => {
    const bench = await open();
    const url = await serve((request, response) => {
      response.writeHead(Number(request.url?.slice(1))).end();
    });
    const fail = (status: number) =>
      bench.fail('http_request', { url: `${url}${status}`, method: 'POST' });
    expect(await fail(503)).toMatchObject({ passesAfterMs: 0, details: { outcome: 'unknown' } });
    expect((await fail(409)).details).not.toHaveProperty('outcome');
  });
});

describe('a connection', () => {
  it('that is refused passes, and nothing was done', async () => {
    const bench = await open();
    const url = await findDeadUrl();
    for (const [name, args] of [
      ['http_get', { url }],
      ['http_request', { url, method: 'POST' }],
    ] as const)
      expect(await bench.fail(name, args)).toMatchObject({
        code: 'tool_failed',
        passesAfterMs: 0,
        details: { outcome: 'none' },
      });
  });

  it('that breaks passes, and whether a write was done is not known', async () => {
    const bench = await open();
    const url = await serve((request) => request.socket.destroy());
    expect(await bench.fail('http_request', { url, method: 'POST' })).toMatchObject({
      passesAfterMs: 0,
      details: { outcome: 'unknown' },
    });
  });

  it('that is refused after a redirect leaves open what the first server did', async () => {
    const dead = await findDeadUrl();
    const bench = await open({}, { lookup: async () => ['127.0.0.1'] });
    const url = await serve((_, response) => response.writeHead(303, { location: dead }).end());
    const error = await bench.fail('http_get', { url });
    expect(error.passesAfterMs).toBe(0);
    expect(error.details).not.toHaveProperty('outcome', 'none');
  });

  it('that takes too long passes', async () => {
    const bench = await open({ timeout_ms: 100 });
    const url = await serve(() => undefined);
    expect(await bench.fail('http_get', { url })).toMatchObject({
      code: 'timed_out',
      passesAfterMs: 0,
    });
  });
});

describe('a host', () => {
  const lookupFails = (code: string) => async () => {
    throw Object.assign(new Error(`getaddrinfo ${code}`), { code });
  };
  it.each([
    ['ENOTFOUND', null],
    ['EAI_AGAIN', 0],
  ])(
    'whose name is not found with %s passes after %s ms, and nothing was done',
    async (code, passesAfterMs) => {
      const bench = await open({}, { lookup: lookupFails(code) });
      const error = await bench.fail('http_request', { url: 'http://x.test/', method: 'POST' });
      expect(error).toMatchObject({ passesAfterMs, details: { outcome: 'none' } });
    },
  );
});

it('what a person has to change does not pass', async () => {
  const bench = await open({}, { reminders: { set: async () => undefined } });
  for (const [name, args] of [
    ['workspace_read', { path: 'missing.txt' }],
    ['workspace_read', { path: '../outside' }],
    ['http_get', { url: 'http://10.0.0.1/' }],
    ['http_get', { url: 'http://127.0.0.1/', headers: { Host: 'x' } }],
    ['calendar_read', { calendar: 'missing.ics' }],
    ['reminder_set', { text: 'x', at: '2001-01-01T00:00' }],
  ] as const) {
    expect(await bench.fail(name, args), name).toMatchObject({ passesAfterMs: null });
  }
});
