// Slips: each thread is named once, and who sends the same sends it under the same key.
import { expect, test } from 'vitest';
import { InboxSlip, type InboxThread, threadsASlip } from '#contracts/inbox.ts';
import { keyOfThread, sharedSlipsFor, slipsFor, threadsOf } from '#conversation/inbox/slips.ts';

const threadOf = (
  thread: string,
  platform: InboxThread['platform'] = 'slack',
  tenant = 'T1',
): InboxThread => ({ platform, tenant, thread });

const names = (threads: InboxThread[]) =>
  threads.map(({ platform, tenant, thread }) => `${platform} ${tenant} ${thread}`).toSorted();

test('a thread alone has a slip of its own, under the key of the thread', () => {
  const thread = threadOf('C1');
  const slip = { payload: thread, key: keyOfThread(thread) };
  expect(sharedSlipsFor([thread, thread])).toEqual([slip]);
  expect(slipsFor([thread, thread])).toEqual([slip]);
});

test('many threads share slips of their platform, each is named once, and no slip names too many', () => {
  const threads = [
    ...Array.from({ length: 2 * threadsASlip + 1 }, (_, i) => threadOf(`C${i}`)),
    threadOf('C1', 'teams'),
    threadOf('C1', 'slack', 'T2'),
  ];
  const slips = sharedSlipsFor([...threads, ...threads.toReversed()]);
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
  expect(sharedSlipsFor(threads.toReversed())).toEqual(sharedSlipsFor(threads));
});

test('a slip takes of an event what names its thread, and nothing more', () => {
  const event = { ...threadOf('C1'), body: Buffer.from('secret') };
  const other = { ...threadOf('C2'), body: Buffer.from('secret') };
  expect(JSON.stringify(sharedSlipsFor([event, other]))).not.toContain('body');
});

test('threads of one person have slips of their own, which take their turn; people with one thread each share', () => {
  const by = (author: string, thread: string) => ({ ...threadOf(thread), author });
  const slips = sharedSlipsFor([
    by('U1', 'C1'),
    by('U1', 'C2'),
    by('U2', 'C3'),
    by('U3', 'C4'),
    threadOf('C5'),
  ]);
  const seen = slips.map(({ payload, person }) => ({
    threads: threadsOf(payload)
      .map(({ thread }) => thread)
      .toSorted(),
    takesTurn: person !== undefined,
  }));
  expect(seen.toSorted((a, b) => a.threads.length - b.threads.length)).toEqual([
    { threads: ['C1', 'C2'], takesTurn: true },
    { threads: ['C3', 'C4', 'C5'], takesTurn: false },
  ]);
});

test('the same id in two workspaces is two people', () => {
  const slips = slipsFor([
    { ...threadOf('C1'), author: 'U1' },
    { ...threadOf('C1', 'slack', 'T2'), author: 'U1' },
  ]);
  expect(new Set(slips.map(({ person }) => person)).size).toBe(2);
});
