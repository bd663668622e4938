import { createServer, type RequestListener } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import { isAnswerable } from '#adapters/teams/connector/authenticate.ts';
import { createCalls } from '#adapters/teams/connector/calls.ts';
import { createTeamsPort } from '#adapters/teams/open-teams.ts';
import type { TeamsConversations } from '#domain/chat/teams-conversation.ts';
import { listenOnLoopback } from '../../../fixtures/loopback.ts';

async function listen(answer: RequestListener): Promise<string> {
  const { url, close } = await listenOnLoopback(createServer(answer));
  onTestFinished(close);
  return url;
}

const place = { platform: 'teams' as const, tenant: 't', channel: 'a:1', thread: null };
const content = { text: 'hello', card: null };
const noGraph = { url: 'https://graph.microsoft.com', token: async () => null };

function openPort(service_url: string, options: { test: boolean; token?: Promise<string> }) {
  const connector = createCalls({
    tokens: () => options.token ?? Promise.resolve('the-token-of-the-bot'),
    graph: noGraph,
    answerable: (url) => isAnswerable(url, options.test),
    now: () => new Date(),
  });
  const kept = { kind: 'personal', bot: '28:b', person: '29:p', team: null, timezone: null };
  const conversations = {
    find: async () => ({ ...kept, tenant: 't', channel: 'a:1', service_url }),
  } as unknown as TeamsConversations;
  const readers = { choose: async () => [], read: async () => [] };
  const everyNameOf = async (name: string) => [name];
  return createTeamsPort({ connector, conversations, readers, everyNameOf, timezone: 'UTC' });
}

test.each([
  ['no JSON', (end: (text: string) => void) => end('<html>'), ''],
  ['nothing', (end: (text: string) => void) => end(''), ''],
  ['a name of another form', (end: (text: string) => void) => end('{"id":7}'), ''],
  ['its name', (end: (text: string) => void) => end('{"id":"17"}'), '17'],
])('a message is posted once where Teams took it and says %s', async (_what, say, message) => {
  const asked: string[] = [];
  const url = await listen((request, response) => {
    asked.push(`${request.method}`);
    response.writeHead(201);
    say((text) => void response.end(text));
  });
  const port = openPort(url, { test: true });
  const post = await port.post(place, content, 'key');
  expect([post.message, asked]).toEqual([message, ['POST']]);
});

test('a message is posted where the connection breaks after Teams took it; it counts as gone for changes', async () => {
  const url = await listen((_request, response) => {
    response.writeHead(201, { 'content-length': '100' });
    response.write('{"id":', () => response.destroy());
  });
  const port = openPort(url, { test: true });
  const post = await port.post(place, content, 'key');
  await expect(port.update(post, content)).rejects.toMatchObject({ code: 'not_found' });
});

test('what Teams says of people in an unknown form is not asked for again and again', async () => {
  const url = await listen((_request, response) => void response.end('{"members":7}'));
  const connector = createCalls({
    tokens: async () => null,
    graph: noGraph,
    answerable: () => true,
    now: () => new Date(),
  });
  const where = { service_url: url };
  const error = { code: 'internal', passesAfterMs: null };
  await expect(connector.members(where, 'a:1', 5)).rejects.toMatchObject(error);
  await expect(connector.member(where, 'a:1', '29:p')).rejects.toMatchObject(error);
});

test('an address that was kept by a bot on this machine gets no token of a real one', async () => {
  const seen: unknown[] = [];
  const url = await listen((request, response) => {
    seen.push(request.headers.authorization);
    response.end('{"id":"1"}');
  });
  const refused = openPort(url, { test: false }).post(place, content, 'key');
  await expect(refused).rejects.toMatchObject({ code: 'not_allowed' });
  expect(seen).toEqual([]);
});

test('a sign-in that never answers ends as one that passes', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const port = openPort('http://127.0.0.1:9', { test: true, token: new Promise(() => {}) });
  const outcome = port.post(place, content, 'key').catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(5000);
  expect(await outcome).toMatchObject({ code: 'tool_unavailable', passesAfterMs: 0 });
});

test('a message that is given up before it was sent is not sent; one that is under way is heard out', async () => {
  const asked: string[] = [];
  const held = Promise.withResolvers<void>();
  const url = await listen((request, response) => {
    asked.push(`${request.method}`);
    void held.promise.then(() => response.end('{"id":"17"}'));
  });
  const token = Promise.withResolvers<string>();
  const port = openPort(url, { test: true, token: token.promise });
  const early = new AbortController();
  const post = { ...place, message: '9' };
  const refused = Promise.allSettled([
    port.post(place, content, 'key', null, early.signal),
    port.update(post, content, early.signal),
  ]);
  early.abort();
  token.resolve('the-token-of-the-bot');
  expect((await refused).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(asked).toEqual([]);

  const late = new AbortController();
  const posting = port.post(place, content, 'key', null, late.signal);
  await vi.waitFor(() => expect(asked).toEqual(['POST']));
  late.abort();
  held.resolve();
  expect((await posting).message).toBe('17');
});

async function openGraph(answer: (path: string, url: string) => object) {
  const url: string = await listen((request, response) => {
    response.end(JSON.stringify(answer(request.url ?? '', url)));
  });
  return createCalls({
    tokens: async () => null,
    graph: { url, token: async () => null },
    answerable: () => true,
    now: () => new Date(),
  });
}
const thread = { tenant: 't', group: 'g', channel: '19:c', post: '1' };
const written = { id: '1', createdDateTime: '2026-03-01T10:00:00Z' };

test('what is missing or odd in a message takes no other message from the thread', async () => {
  const odd = {
    from: { user: { id: 7 }, application: null },
    body: null,
    subject: [],
    attachments: 7,
  };
  const sound = { ...written, ...odd, id: '2' };
  const value = [
    sound,
    { id: '3' },
    null,
    { ...written, id: 4 },
    { id: '5', createdDateTime: null },
  ];
  const { replies } = await openGraph((path) => (path.includes('/replies') ? { value } : written));
  expect(await replies(thread, 200)).toMatchObject({
    post: { id: '1' },
    replies: [{ id: '2', from: { user: null }, body: null, subject: null }],
    more: false,
  });
});

test('pages without end are not read to the end', async () => {
  let pages = 0;
  const connector = await openGraph((path, url) => {
    if (!/replies|members/.test(path)) return written;
    pages += 1;
    return { value: [], '@odata.nextLink': `${url}${path}` };
  });
  expect(await connector.replies(thread, 200)).toMatchObject({ more: true });
  const members = connector.visibleSince({ tenant: 't', chat: '19:x' });
  await expect(members).rejects.toMatchObject({ code: 'limit_exceeded' });
  expect(pages).toBeLessThan(50);
});
