// Many windows at once: each opens within three seconds.
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createShow, createTurns } from '#adapters/slack/press/show.ts';
import { readSignal } from '#adapters/slack/signals/read-signal.ts';
import type { SlackContext } from '#adapters/slack/slack-context.ts';

function press(n: number) {
  const value = { action: 'details', plan_id: `PLAN-0000000${n % 10}`, version: 1, digest: '' };
  const body = {
    type: 'block_actions',
    team: { id: 'T1' },
    user: { id: 'U1' },
    trigger_id: `${n}`,
    container: { type: 'message', channel_id: 'C1', message_ts: '1.1', is_ephemeral: true },
    actions: [{ action_id: 'a', action_ts: '1.1', value: JSON.stringify(value) }],
  };
  const signal = readSignal(Buffer.from(JSON.stringify(body)));
  if (signal === null) throw new Error('It is no signal.');
  return signal;
}

test('a hundred windows open at once, four are filled at a time, and each is filled in the end', async () => {
  let opened = 0;
  let updated = 0;
  let filling = 0;
  let most = 0;
  const views = {
    open: async () => ({ view: { id: `V${opened++}` } }),
    update: async () => void updated++,
  };
  const find = async () => {
    filling += 1;
    most = Math.max(most, filling);
    await setImmediate();
    filling -= 1;
    throw new Error('The database is away.');
  };
  const context = {
    clientOf: async () => ({ views }),
    people: { find },
    service: {},
    warn() {},
  } as unknown as SlackContext;
  const show = createShow(context);
  const all = Array.from({ length: 100 }, (_, n) => show(press(n)));
  await setImmediate();
  expect([opened, updated]).toEqual([100, 0]);
  await Promise.all(all);
  expect([most, updated]).toEqual([4, 100]);
});

test('turns are had in the order of asking, and one that fails hands its turn on', async () => {
  const inTurn = createTurns(1);
  const seen: number[] = [];
  const all = [1, 2, 3].map((n) =>
    inTurn(async () => {
      seen.push(n);
      await setImmediate();
      if (n === 1) throw new Error('It failed.');
    }),
  );
  expect((await Promise.allSettled(all)).map(({ status }) => status)).toEqual([
    'rejected',
    'fulfilled',
    'fulfilled',
  ]);
  expect(seen).toEqual([1, 2, 3]);
  await inTurn(async () => void seen.push(4));
  expect(seen).toEqual([1, 2, 3, 4]);
});
