import { expect, test } from 'vitest';
import { createRecent, shareByKey } from '#domain/recent.ts';

test('of more than are remembered the oldest is forgotten', () => {
  const recent = createRecent<number>({ keep: 2 });
  recent.set('a', 1);
  recent.set('b', 2);
  recent.set('c', 3);
  expect(['a', 'b', 'c'].map(recent.get)).toEqual([undefined, 2, 3]);
});

test('what is set again counts as new', () => {
  const recent = createRecent<number>({ keep: 2 });
  recent.set('a', 1);
  recent.set('b', 2);
  recent.set('a', 3);
  recent.set('c', 4);
  expect(['a', 'b', 'c'].map(recent.get)).toEqual([3, undefined, 4]);
});

test('callers share a promise per key, and a failure is not kept', async () => {
  const known = new Map<string, Promise<number>>();
  let calls = 0;
  const ask = () =>
    shareByKey(known, 'a', async () => {
      calls++;
      if (calls === 1) throw new Error('once');
      return calls;
    });
  expect(await Promise.allSettled([ask(), ask()])).toMatchObject([
    { status: 'rejected' },
    { status: 'rejected' },
  ]);
  expect(await Promise.all([ask(), ask()])).toEqual([2, 2]);
});
