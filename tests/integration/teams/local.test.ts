// Without credentials, only a local Teams client is accepted.
import pino from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { serve } from '#app/serve.ts';
import { useDatabase } from '../../setup/database.ts';
import { openTestInstance } from '../../setup/instance.ts';
import { readInbox } from '../inbox/bench.ts';

const database = useDatabase();
const tenant = '3f6e0d1c-1111-4222-8333-444455556666';

test('a client on this machine is heard; a web page, a proxy and an address elsewhere are not', async () => {
  const instance = await openTestInstance(database.url, {
    env: { COUNTERSIGN_TEAMS_LOCAL: 'true', PORT: '0' },
    work: false,
  });
  const { app, port } = await serve(instance, instance.config, pino({ level: 'silent' }));
  onTestFinished(async () => {
    await app.close();
    await instance.close();
  });
  const activity = {
    type: 'message',
    id: '1',
    channelId: 'msteams',
    serviceUrl: 'http://127.0.0.1:9/_connector',
    from: { id: '29:ana', name: 'Ana' },
    recipient: { id: '28:bot' },
    conversation: { id: 'a:1', conversationType: 'personal', tenantId: tenant },
    text: 'hello',
  };
  const send = async (changes: object, headers: Record<string, string> = {}) => {
    const { statusCode } = await app.inject({
      method: 'POST',
      url: '/api/messages',
      headers: { host: `127.0.0.1:${port}`, 'content-type': 'application/json', ...headers },
      payload: JSON.stringify({ ...activity, ...changes }),
    });
    return statusCode;
  };
  expect(await send({}, { origin: 'https://example.com' })).toBe(401);
  expect(await send({}, { origin: `http://127.0.0.1:${port}` })).toBe(401);
  expect(await send({}, { host: 'example.com' })).toBe(401);
  expect(await send({}, { 'x-forwarded-for': '203.0.113.1' })).toBe(401);
  expect(await send({}, { 'content-type': 'text/plain' })).toBe(415);
  expect(await send({ serviceUrl: 'https://example.com/' })).toBe(401);
  expect(await send({ channelId: 'emulator' })).toBe(401);
  expect(await readInbox(instance)).toEqual([]);
  expect(await send({})).toBe(200);
  expect(await readInbox(instance)).toHaveLength(1);
});
