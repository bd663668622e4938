import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import Fastify from 'fastify';
import { afterEach, expect, it } from 'vitest';
import { queueBackground } from '#api/request-hooks.ts';
import { waitFor } from '../../wait.ts';

const refresh = { priority: 'u=7, i' };
let app: FastifyInstance | undefined;
let begun: Map<string, () => void>;
let received: number;
let closed: number;
afterEach(async () => {
  for (const answer of begun.values()) answer();
  await app?.close();
});

async function open(limits?: Parameters<typeof queueBackground>[1]) {
  begun = new Map();
  received = 0;
  closed = 0;
  app = Fastify({ forceCloseConnections: true });
  app.addHook('onRequest', async (_request, reply) => {
    received += 1;
    reply.raw.once('close', () => {
      closed += 1;
    });
  });
  queueBackground(app, limits);
  app.get<{ Params: { name: string } }>(
    '/:name',
    { config: { role: 'viewer', subject: 'list' } },
    ({ params: { name } }) => new Promise((resolve) => begun.set(name, () => resolve({ name }))),
  );
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return (name: string, options: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}/${name}`, options);
}

const answer = (name: string) => begun.get(name)?.();
const untilBegun = (...names: string[]) =>
  waitFor(`${names} to begin`, () => names.every((name) => begun.has(name)));

it('serves one background request at a time, and those that people wait for at once', async () => {
  const get = await open();
  const first = get('first', { headers: refresh });
  await untilBegun('first');
  const others = [
    get('second', { headers: refresh }),
    get('person'),
    get('urgent', { headers: { priority: 'u=1' } }),
  ];
  await untilBegun('person', 'urgent');
  await waitFor('all to be heard', () => received === 4);
  expect(begun.has('second')).toBe(false);
  for (const name of ['person', 'urgent', 'first']) answer(name);
  expect((await first).status).toBe(200);
  await untilBegun('second');
  answer('second');
  for (const other of others) expect((await other).status).toBe(200);
});

it('begins a background request when nobody is served, or after a while', async () => {
  const patient = await open({ maxWaitMs: 60_000, busyMs: 60_000 });
  const person = patient('person');
  await untilBegun('person');
  const later = patient('later', { headers: refresh });
  await waitFor('both to be heard', () => received === 2);
  expect(begun.has('later')).toBe(false);
  answer('person');
  await untilBegun('later');
  answer('later');
  for (const one of [person, later]) expect((await one).status).toBe(200);
  await app?.close();
  const get = await open({ maxWaitMs: 5 });
  const beside = [get('person'), get('later', { headers: refresh })];
  await untilBegun('person', 'later');
  for (const name of ['person', 'later']) answer(name);
  for (const one of beside) expect((await one).status).toBe(200);
});

it('lets the next one in where the client of the one before has left', async () => {
  const get = await open();
  const left = new AbortController();
  const first = get('first', { headers: refresh, signal: left.signal });
  await untilBegun('first');
  const second = get('second', { headers: refresh });
  left.abort();
  await expect(first).rejects.toThrow();
  await untilBegun('second');
  answer('second');
  expect((await second).status).toBe(200);
});

it('serves none whose client has left before its turn', async () => {
  const get = await open();
  const first = get('first', { headers: refresh });
  await untilBegun('first');
  const left = new AbortController();
  const gone = Array.from({ length: 30 }, (_, index) =>
    get(`gone-${index}`, { headers: refresh, signal: left.signal }),
  );
  await waitFor('all to be heard', () => received === 31);
  left.abort();
  for (const one of gone) await expect(one).rejects.toThrow();
  await waitFor('all to be closed', () => closed === 30);
  const last = get('last', { headers: refresh });
  answer('first');
  await untilBegun('last');
  answer('last');
  for (const one of [first, last]) expect((await one).status).toBe(200);
  expect([...begun.keys()]).toEqual(['first', 'last']);
});

it('passes a turn on after a while, whatever hangs', async () => {
  const get = await open({ turnMs: 5 });
  const all = ['hangs', 'too', 'next'].map((name) => get(name, { headers: refresh }));
  await untilBegun('hangs', 'too', 'next');
  for (const name of begun.keys()) answer(name);
  for (const one of all) expect((await one).status).toBe(200);
});

it('does not wait for a request of a person that has been open for long', async () => {
  const get = await open({ maxWaitMs: 60_000, busyMs: 5 });
  const model = get('model');
  await untilBegun('model');
  for (const name of ['one', 'two']) {
    const refreshed = get(name, { headers: refresh });
    await untilBegun(name);
    answer(name);
    expect((await refreshed).status).toBe(200);
  }
  answer('model');
  expect((await model).status).toBe(200);
});
