// One wakeup per thread, with the same key for every sender.
import { expect, test } from 'vitest';
import { keyOfThread, wakeupsFor } from '#chat/inbox/receive.ts';
import { type InboxThread, InboxWakeup } from '#domain/chat/inbox.ts';

const threadOf = (
  thread: string,
  platform: InboxThread['platform'] = 'slack',
  tenant = 'T1',
): InboxThread => ({ platform, tenant, thread });

test('each thread has one, under its own key, in one order whatever order they came in', () => {
  const threads = [
    ...Array.from({ length: 40 }, (_, i) => threadOf(`C${i}`)),
    threadOf('C1', 'teams'),
    threadOf('C1', 'slack', 'T2'),
  ];
  const wakeups = wakeupsFor([...threads, ...threads]);
  expect(wakeups).toHaveLength(threads.length);
  for (const { payload, key } of wakeups) expect(key).toBe(keyOfThread(payload));
  expect(wakeupsFor(threads.toReversed())).toEqual(wakeups);
});

test('takes of an event what names its thread, and nothing more', () => {
  const event = { ...threadOf('C1'), body: Buffer.from('secret') };
  expect(JSON.stringify(wakeupsFor([event]))).not.toContain('body');
});

test('one that a version before sent for several threads is taken for its first', () => {
  const before = { ...threadOf('C1'), others: [{ tenant: 'T1', thread: 'C2' }] };
  expect(InboxWakeup.parse(before)).toEqual(threadOf('C1'));
});

test('the same id in two workspaces is two people', () => {
  const wakeups = wakeupsFor([
    { ...threadOf('C1'), author: 'U1' },
    { ...threadOf('C1', 'slack', 'T2'), author: 'U1' },
  ]);
  expect(new Set(wakeups.map(({ person }) => person)).size).toBe(2);
});
