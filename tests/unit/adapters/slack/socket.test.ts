import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Accept } from '#adapters/slack/transport/accept.ts';
import { connectSocket } from '#adapters/slack/transport/socket.ts';
import { listenOnLoopback } from '../../../fixtures/loopback.ts';
import type { SlackDouble } from '../../../fixtures/slack/double.ts';
import { useSlack } from '../../fixtures/slack-client.ts';

const open = 'apps.connections.open';
const hours = 3_600_000;

async function useSockets() {
  const slack = await useSlack({ app: { events: ['message.im'] } });
  slack.connect('socket mode');
  return { slack, ana: slack.addUser({ name: 'ana' }) };
}

function connect(
  at: Pick<SlackDouble, 'apiUrl'> & { app: { appToken: string } },
  {
    accept = async () => null,
    pause = () => 1,
  }: { accept?: Accept; pause?: (failures: number) => number } = {},
) {
  const warnings: string[] = [];
  const stop = connectSocket({
    appToken: at.app.appToken,
    apiUrl: at.apiUrl,
    accept,
    pause,
    warn: (message) => warnings.push(message),
  });
  onTestFinished(stop);
  return { stop, warnings };
}

const connected = ({ socket }: SlackDouble) => expect.poll(() => socket.connections()).toBe(1);
const opened = ({ calls }: SlackDouble) => calls.filter(({ method }) => method === open).length;

test.each(['invalid_auth', 'account_inactive', 'not_authed', 'team_disabled'])(
  'an app token that Slack refuses when it is to connect again (%s) is told once and ends nothing',
  async (error) => {
    const { slack } = await useSockets();
    const { warnings } = connect(slack);
    await connected(slack);
    slack.fail(open, { error }, 3);
    slack.socket.disconnect('refresh_requested');
    await expect.poll(() => opened(slack)).toBe(5);
    await connected(slack);
    // The server has the connection before its hello arrives.
    await expect.poll(() => warnings.at(-1)).toBe('Slack is connected again.');
    expect(warnings).toEqual([
      expect.stringMatching(
        new RegExp(`^No events from Slack\\. .*SLACK_APP_TOKEN \\(${error}\\)`),
      ),
      'Slack is connected again.',
    ]);
  },
);

test('it comes back when Slack is away, whether it hangs up, breaks or refuses for a while', async () => {
  const { slack, ana } = await useSockets();
  const received: string[] = [];
  const { warnings } = connect(slack, {
    async accept(body) {
      received.push(body.toString());
      return null;
    },
  });
  await connected(slack);
  for (const failure of [
    { hangUp: 'before' },
    { status: 503 },
    { error: 'fatal_error' },
  ] as const) {
    const before = opened(slack);
    slack.fail(open, failure, 2);
    slack.socket.disconnect('drop');
    await expect.poll(() => opened(slack)).toBe(before + 3);
    await connected(slack);
  }
  await slack.directMessage(ana.id, 'hello again');
  expect(received).toEqual([expect.stringContaining('hello again')]);
  expect(warnings.filter((one) => one === 'Slack is connected again.')).toHaveLength(3);
});

test('a refreshed connection is nothing to tell of', async () => {
  const { slack } = await useSockets();
  const { warnings } = connect(slack);
  await connected(slack);
  slack.socket.disconnect('warning');
  await expect.poll(() => opened(slack)).toBe(2);
  await connected(slack);
  expect(warnings).toEqual([]);
});

test('told to end while Slack is away, it ends and never connects again', async () => {
  const { slack } = await useSockets();
  const { stop, warnings } = connect(slack, { pause: (failures) => (failures < 2 ? 1 : hours) });
  await connected(slack);
  slack.fail(open, { status: 503 });
  slack.socket.disconnect('drop');
  await expect.poll(() => warnings).toEqual([expect.stringContaining('503')]);
  await stop();
  expect([opened(slack), slack.socket.connections()]).toEqual([2, 0]);
});

test('told to end while Slack keeps it waiting, it ends without an answer', async () => {
  const { slack } = await useSockets();
  slack.fail(open, { silence: 'before' });
  const { stop } = connect(slack);
  await expect.poll(() => opened(slack)).toBe(1);
  await stop();
  expect(slack.socket.connections()).toBe(0);
});

const say = (socket: WebSocket, frame: object | null) => socket.send(JSON.stringify(frame));

async function useLink(speak: (socket: WebSocket) => void) {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const { port } = server.address() as AddressInfo;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ ok: true, url: `ws://127.0.0.1:${port}/link` }));
    });
  });
  const links = new WebSocketServer({ server });
  links.on('connection', speak);
  const { url, close } = await listenOnLoopback(server);
  onTestFinished(async () => {
    for (const link of links.clients) link.terminate();
    await close();
  });
  return { links, at: { apiUrl: `${url}/api/`, app: { appToken: 'xapp-1' } } };
}

test('a frame that makes no sense is left out with a warning, and the next is heard', async () => {
  const received: string[] = [];
  const { at } = await useLink((socket) => {
    for (const frame of [
      { type: 'hello' },
      { type: 'events_api', envelope_id: 'e1' },
      null,
      { type: 'slash_commands', envelope_id: 'e2', payload: { command: '/plans' } },
    ])
      say(socket, frame);
  });
  const { warnings } = connect(at, {
    async accept(body) {
      received.push(body.toString());
      return null;
    },
  });
  await expect.poll(() => received).toEqual(['{"command":"/plans"}']);
  const unread = expect.stringContaining('unreadable');
  expect(warnings).toEqual([unread, unread]);
});

test('told to end before Slack has said hello, it hangs up', async () => {
  const { at, links } = await useLink(() => {});
  const { stop } = connect(at);
  await expect.poll(() => links.clients.size).toBe(1);
  await stop();
  await expect.poll(() => links.clients.size).toBe(0);
});

test('what Slack has sent by the end is stored and acknowledged; what comes later is neither', async () => {
  const storing = Promise.withResolvers<null>();
  const begun: string[] = [];
  const logged: unknown[] = [];
  const { at, links } = await useLink((socket) => {
    socket.on('message', (data) => logged.push(JSON.parse(String(data))));
    say(socket, { type: 'hello' });
    say(socket, { type: 'slash_commands', envelope_id: 'before', payload: {} });
  });
  const { stop } = connect(at, {
    async accept(body) {
      begun.push(body.toString());
      return storing.promise;
    },
  });
  await expect.poll(() => begun.length).toBe(1);
  const ended = stop();
  for (const link of links.clients) {
    say(link, { type: 'slash_commands', envelope_id: 'after', payload: {} });
    link.ping();
    await once(link, 'pong');
  }
  storing.resolve(null);
  await ended;
  expect(begun).toHaveLength(1);
  await expect.poll(() => logged).toMatchObject([{ envelope_id: 'before' }]);
});
