// What Slack wants to be left alone with stays so, also when it is very much.
import { expect, test } from 'vitest';
import { createAsk } from '#adapters/slack/port/hold.ts';
import { createRecent } from '#adapters/slack/recent.ts';
import { clientOf, useSlack } from '../../fixtures/slack-client.ts';

test('of more holds than are remembered the oldest is forgotten, and all others stand', async () => {
  const slack = await useSlack();
  const now = Date.now();
  const ask = createAsk({ now: () => new Date(now) });
  const call = (channel: number) => ({
    team: 'T1',
    method: 'chat.postMessage',
    channel: String(channel),
    deed: 'post a message',
  });
  slack.fail('auth.test', { status: 429, retryAfter: 60 });
  const limited: unknown = await clientOf(slack)
    .auth.test()
    .catch((error: unknown) => error);
  for (let channel = 0; channel <= 5000; channel++)
    await ask(call(channel), () => Promise.reject(limited)).catch(() => {});
  let asked = 0;
  const count = async () => {
    asked += 1;
  };
  for (const held of [1, 2, 4999, 5000])
    await expect(ask(call(held), count)).rejects.toMatchObject({ passesAfterMs: 60_000 });
  expect(asked).toBe(0);
  await ask(call(0), count);
  expect(asked).toBe(1);
});

test('what is set again counts as new', () => {
  const recent = createRecent<number>(2);
  recent.set('a', 1);
  recent.set('b', 2);
  recent.set('a', 3);
  recent.set('c', 4);
  expect(['a', 'b', 'c'].map(recent.get)).toEqual([3, undefined, 4]);
});
