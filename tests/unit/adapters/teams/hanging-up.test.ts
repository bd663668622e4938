import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
import type { Accept } from '#adapters/teams/transport/accept.ts';
import { registerTeams } from '#adapters/teams/transport/http.ts';

const activity = {
  type: 'message',
  id: '17',
  channelId: 'msteams',
  serviceUrl: 'https://smba.trafficmanager.net/emea/',
  from: { id: '29:ana', name: 'Ana', aadObjectId: 'object-of-ana' },
  recipient: { id: '28:bot', name: 'Countersign' },
  conversation: { id: 'a:1', conversationType: 'personal', tenantId: 'tenant' },
  text: 'hello',
};

async function open(accept: Accept) {
  const app = Fastify();
  const ended = Promise.withResolvers<void>();
  app.addHook('onRequest', async (_request, reply) => {
    reply.raw.once('close', () => ended.resolve());
  });
  await registerTeams(app, {
    authenticate: async () => () => true,
    accept,
    serves: () => true,
    warn: (message) => {
      throw new Error(message);
    },
  });
  onTestFinished(() => app.close());
  const url = `${await app.listen({ host: '127.0.0.1', port: 0 })}/api/messages`;
  const send = (signal?: AbortSignal) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(activity),
      ...(signal === undefined ? {} : { signal }),
    });
  return { send, ended: ended.promise };
}

const answer = { statusCode: 200, type: 'application/vnd.microsoft.activity.message', value: 'no' };

test('an answer that has gone out is noted as read', async () => {
  const read = Promise.withResolvers<void>();
  const { send } = await open(async () => ({ answer, onSent: async () => read.resolve() }));
  expect(await (await send()).json()).toEqual(answer);
  await read.promise;
});

test('an answer to somebody who hung up is not noted as read', async () => {
  const asked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const sent: string[] = [];
  let first = true;
  const { send, ended } = await open(async () => {
    const hungUp = first;
    first = false;
    if (hungUp) {
      asked.resolve();
      await gate.promise;
    }
    return { answer, onSent: async () => void sent.push(hungUp ? 'to nobody' : 'to somebody') };
  });
  const hangUp = new AbortController();
  const lost = send(hangUp.signal).catch(() => 'hung up');
  await asked.promise;
  hangUp.abort();
  expect(await lost).toBe('hung up');
  await ended;
  gate.resolve();
  await send();
  expect(sent).toEqual(['to somebody']);
});
