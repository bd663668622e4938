import { createHmac } from 'node:crypto';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import { readSignal } from '#adapters/slack/signals/read-signal.ts';
import { registerSlack } from '#adapters/slack/transport/http.ts';
import { registerTeams } from '#adapters/teams/transport/http.ts';

const nested = `{"value":${'['.repeat(1500)}${']'.repeat(1500)}}`;
const unexpected = (message: string) => {
  throw new Error(message);
};

async function post(
  register: (app: ReturnType<typeof Fastify>) => Promise<void>,
  path: string,
  body: string,
  headers: Record<string, string>,
): Promise<{ status: number; text: string }> {
  const app = Fastify();
  await register(app);
  onTestFinished(() => app.close());
  const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}${path}`;
  const response = await fetch(url, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text() };
}

test.each([
  ['JSON', 'application/json', nested],
  [
    'a form',
    'application/x-www-form-urlencoded',
    new URLSearchParams({ payload: nested }).toString(),
  ],
])('Slack is refused %s that nests too deep, and told the limit', async (_, type, body) => {
  const seconds = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', 'secret').update(`v0:${seconds}:${body}`).digest('hex');
  const answer = await post(
    (app) =>
      registerSlack(app, {
        signingSecret: 'secret',
        accept: async (bytes) => {
          readSignal(bytes);
          return null;
        },
        now: () => new Date(),
        warn: unexpected,
      }),
    '/slack/events',
    body,
    {
      'content-type': type,
      'x-slack-signature': `v0=${signature}`,
      'x-slack-request-timestamp': seconds,
    },
  );
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('100 levels');
});

test('Teams is refused an activity that nests too deep, and told the limit', async () => {
  const answer = await post(
    (app) =>
      registerTeams(app, {
        authenticate: async () => () => true,
        accept: async () => null,
        serves: () => true,
        warn: unexpected,
      }),
    '/api/messages',
    nested,
    { 'content-type': 'application/json' },
  );
  expect(answer.status).toBe(400);
  expect(answer.text).toContain('100 levels');
});
