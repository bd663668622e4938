// One database poll serves all who wait for events.
import { expect, test } from 'vitest';
import type { InboxContext } from '#chat/inbox/inbox-context.ts';
import { createWaiter } from '#chat/inbox/wait-until-handled.ts';

function openWaiter() {
  const asked = { now: 0, most: 0, looks: 0 };
  const handled = new Set<number>();
  const db = {
    query: {
      async execute() {
        asked.now += 1;
        asked.looks += 1;
        asked.most = Math.max(asked.most, asked.now);
        await new Promise(setImmediate);
        asked.now -= 1;
        const ids = Array.from({ length: 500 }, (_, id) => id);
        return {
          rows: ids.map((id) => ({ id, handled: handled.has(id), failed: false, reply: id })),
        };
      },
    },
  } as unknown as InboxContext['db'];
  return { wait: createWaiter({ db }).outcome, asked, handled };
}

test('of many who wait each learns of their own event by a look that all share, and beyond 200 nobody waits', async () => {
  const { wait, asked, handled } = openWaiter();
  const first = Array.from({ length: 200 }, (_, id) => wait(id, 60_000));
  expect(await wait(499, 60_000)).toEqual({ state: 'open' });
  for (let id = 0; id < 200; id++) handled.add(id);
  const outcomes = await Promise.all(first);
  expect(outcomes).toEqual(outcomes.map((_, id) => ({ state: 'handled', reply: id })));
  expect(asked.most).toBe(1);
  expect(asked.looks).toBeLessThan(20);
  expect(await wait(7, 60_000)).toEqual({ state: 'handled', reply: 7 });
});

test('whose time is over learns that it is open, and whoever comes later is not kept', async () => {
  const { wait, handled } = openWaiter();
  const long = wait(1, 60_000);
  expect(await wait(2, 0)).toEqual({ state: 'open' });
  handled.add(1);
  expect(await long).toEqual({ state: 'handled', reply: 1 });
});
