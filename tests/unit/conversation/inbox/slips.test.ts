// Slips: each thread is named once, and who sends the same sends it under the same key.
import { expect, test } from 'vitest';
import { InboxSlip, type InboxThread, threadsASlip } from '#contracts/inbox.ts';
import { keyOfThread, slipsFor, threadsOf } from '#conversation/inbox/slips.ts';

const threadOf = (
  thread: string,
  platform: InboxThread['platform'] = 'slack',
  tenant = 'T1',
): InboxThread => ({ platform, tenant, thread });

const names = (threads: InboxThread[]) =>
  threads.map(({ platform, tenant, thread }) => `${platform} ${tenant} ${thread}`).toSorted();

test('a thread alone has a slip of its own, under the key of the thread', () => {
  const thread = threadOf('C1');
  expect(slipsFor([thread, thread])).toEqual([{ payload: thread, key: keyOfThread(thread) }]);
});

test('many threads share slips of their platform, each is named once, and no slip names too many', () => {
  const threads = [
    ...Array.from({ length: 2 * threadsASlip + 1 }, (_, i) => threadOf(`C${i}`)),
    threadOf('C1', 'teams'),
    threadOf('C1', 'slack', 'T2'),
  ];
  const slips = slipsFor([...threads, ...threads.toReversed()]);
  expect(names(slips.flatMap(({ payload }) => threadsOf(payload)))).toEqual(names(threads));
  expect(slips.map(({ payload }) => threadsOf(payload).length).toSorted((a, b) => a - b)).toEqual([
    1,
    2,
    threadsASlip,
    threadsASlip,
  ]);
  for (const { payload } of slips) expect(InboxSlip.parse(payload)).toEqual(payload);
  const keys = slips.map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys).toEqual(keys.toSorted());
});

test('what is sent for the same threads has the same keys, in whatever order they came', () => {
  const threads = Array.from({ length: 40 }, (_, i) => threadOf(`C${i}`));
  expect(slipsFor(threads.toReversed())).toEqual(slipsFor(threads));
});

test('takes of an event what names its thread, and nothing more', () => {
  const event = { ...threadOf('C1'), body: Buffer.from('secret') };
  const other = { ...threadOf('C2'), body: Buffer.from('secret') };
  expect(JSON.stringify(slipsFor([event, other]))).not.toContain('body');
});
