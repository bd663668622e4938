// Remembers only the most recent keys.
import { expect, test } from 'vitest';
import { createRecent } from '#domain/recent.ts';

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
