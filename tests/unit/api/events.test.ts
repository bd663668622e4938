import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { placeEvents } from '#api/routes/events.ts';
import {
  proposeDraft,
  readProblem,
  readUntil,
  startApi,
  type TestApi,
} from '../../fixtures/api.ts';

let api: TestApi;
let plan: string;
beforeEach(async () => {
  api = await startApi();
  plan = (await proposeDraft(api)).id;
});
afterEach(() => api.close());

const step = (revision: number) => ({ revision, step_id: '1', kind: `event-${revision}` });
const idsOf = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));

describe('the events of a plan', () => {
  it('tells what was and what comes, each with its revision', async () => {
    const response = await api.get(`/api/plans/${plan}/events`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    expect(response.headers.get('cache-control')).toBe('no-store');
    api.service.change(plan, [step(2), step(3)]);
    const text = await readUntil(response, (all) => all.includes('event-3'));
    expect(idsOf(text)).toEqual([1, 2, 3]);
    expect(text).toContain('event: change\ndata: {"revision":2,"step_id":"1","kind":"event-2"');
  });

  it('goes on after Last-Event-ID, which wins over ?since=', async () => {
    api.service.change(plan, [step(2), step(3), step(4)]);
    const since = await api.get(`/api/plans/${plan}/events?since=3`);
    expect(idsOf(await readUntil(since, (all) => all.includes('event-4')))).toEqual([4]);
    const resumed = await api.get(`/api/plans/${plan}/events?since=3`, { 'last-event-id': '2' });
    expect(idsOf(await readUntil(resumed, (all) => all.includes('event-4')))).toEqual([3, 4]);
  });

  it('refuses a place that is no revision', async () => {
    const response = await api.get(`/api/plans/${plan}/events`, { 'last-event-id': 'abc' });
    expect(response.status).toBe(400);
    expect((await readProblem(response)).errors[0]?.path).toBe('last-event-id');
  });

  it('lets go of the watch when the client leaves', async () => {
    const leave = new AbortController();
    const response = await fetch(`${api.origin}/api/plans/${plan}/events`, {
      signal: leave.signal,
    });
    await response.body?.getReader().read();
    await expect.poll(() => api.service.watchers()).toBe(1);
    leave.abort();
    await expect.poll(() => api.service.watchers()).toBe(0);
  });

  it('reads from the watch no faster than the client', async () => {
    let given = 0;
    api.service.watchPlan = async function* flood(_id, _since, signal) {
      while (!signal.aborted) {
        given += 1;
        yield [{ ...step(given), at: '', detail: 'x'.repeat(65_536) }];
      }
    };
    const leave = new AbortController();
    const response = await fetch(`${api.origin}/api/plans/${plan}/events`, {
      signal: leave.signal,
    });
    let before = -1;
    // Once buffers are full, nothing moves although the watch has more.
    await expect
      .poll(
        () => {
          const still = given > 0 && given === before;
          before = given;
          return still;
        },
        { interval: 200 },
      )
      .toBe(true);
    expect(given).toBeLessThan(1000);
    const reader = response.body?.getReader();
    for (let reads = 0; reads < 500; reads += 1) await reader?.read();
    await expect.poll(() => given).toBeGreaterThan(before);
    leave.abort();
  });

  it('logs a watch that breaks, and ends the stream so that the client comes back', async () => {
    api.service.watchPlan = () => ({
      [Symbol.asyncIterator]: () => ({
        next: () => Promise.reject(new Error('lost the database')),
      }),
    });
    const response = await api.get(`/api/plans/${plan}/events`);
    expect(await response.text()).toBe('retry: 2000\n\n');
    await expect.poll(() => api.logged()).toContain('lost the database');
  });
});

describe('streams and the server', () => {
  it('sends heartbeats', async () => {
    const quick = await startApi({ heartbeatMs: 20 });
    const response = await quick.get('/api/conversations/c/events');
    const text = await readUntil(response, (all) => all.split(': heartbeat\n\n').length > 2);
    expect(text.startsWith('retry: 2000\n\n: heartbeat\n\n')).toBe(true);
    await quick.close();
  });

  it('ends its streams and closes at once when it is told to', async () => {
    const response = await api.get(`/api/plans/${plan}/events`);
    // Hangs if a stream did not end.
    await api.close();
    expect(await response.text()).toContain('id: 1');
    await expect.poll(() => api.service.watchers()).toBe(0);
  });

  it('does not wait for connections that never asked anything', async () => {
    const silent = connect(api.port, '127.0.0.1');
    await once(silent, 'connect');
    const gone = once(silent, 'close');
    // The server has the connection once it has answered a later one.
    await api.get('/healthz');
    // Node by itself waits longer than the test may take.
    await api.close();
    await gone;
  });

  it('counts open streams and does not take them for slow requests', async () => {
    const response = await api.get(`/api/plans/${plan}/events`);
    const route = 'route="/api/plans/:id/events"';
    const open = await (await api.get('/metrics')).text();
    expect(open).toContain(`countersign_http_event_streams{${route}} 1`);
    await response.body?.cancel();
    await expect
      .poll(async () => (await api.get('/metrics')).text())
      .toContain(`countersign_http_event_streams{${route}} 0`);
    const after = await (await api.get('/metrics')).text();
    expect(after).not.toMatch(new RegExp(`duration_seconds_count.*${route}`));
  });
});

it('streams the messages of a conversation, and which plans change if wanted', async () => {
  api.service.watchInbox = async function* change(_, signal) {
    yield [{ plans: [{ id: plan, moved: true }] }];
    await once(signal, 'abort');
  };
  const response = await api.get('/api/conversations/c1/events?plans=true');
  await api.post('/api/conversations/c1/messages', { text: 'one' });
  await api.post('/api/conversations/c1/messages', { text: 'two\nlines' });
  const text = await readUntil(response, (all) => all.includes('two'));
  expect(idsOf(text)).toEqual([1, 2]);
  expect(text).toContain('event: message\ndata: {"id":1,');
  expect(text).toContain(`event: plans\ndata: {"plans":[{"id":"${plan}","moved":true}]}`);
  const alone = await api.get('/api/conversations/c1/events');
  expect(await readUntil(alone, (all) => all.includes('two'))).not.toContain('event: plans');
});

it('moves the place only behind the last of the changes that share a revision', () => {
  const events = placeEvents('change', [step(1), step(1), step(2)], (change) => change.revision);
  expect(events.map(({ id }) => id)).toEqual([undefined, 1, 2]);
});
