// Which waiting events are stored together.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseBatch, tiesOf } from '#conversation/inbox/choose-batch.ts';
import { makeEvent } from '#tests/fixtures/inbox-events.ts';

const named = (...keys: string[]) => makeEvent(keys[0] ?? '', { keys });
const placesOf = (...names: string[][]) =>
  chooseBatch(
    names.map((keys) => named(...keys)),
    10,
  ).placeOf;

test('events with the same name are one, and the first of them is stored', () => {
  expect(placesOf(['a', 'm1'], ['b'], ['a'], ['m1', 'a'])).toEqual([0, 1, 0, 0]);
});

test('an event with a known and a new name waits for the next statement, with what shares that name', () => {
  expect(placesOf(['a', 'm1'], ['b', 'm1'], ['b'], ['c'])).toEqual([0, 'later', 'later', 1]);
});

test('an event that is two others at once is the one with its first name', () => {
  expect(placesOf(['a'], ['b'], ['b', 'a'])).toEqual([0, 1, 1]);
});

test('names of another platform or workspace are other names', () => {
  const events = [
    named('a'),
    makeEvent('a', { platform: 'teams' }),
    makeEvent('a', { tenant: 'T2' }),
    makeEvent('x', { keys: ['"T1","a'] }),
  ];
  expect(chooseBatch(events, 10).placeOf).toEqual([0, 1, 2, 3]);
});

test('a full batch leaves the rest for later, but for what is the same', () => {
  const events = ['a', 'b', 'c', 'a'].map((name) => named(name));
  const { placeOf, events: chosen } = chooseBatch(events, 2);
  expect(placeOf).toEqual([0, 1, 'later', 0]);
  expect(chosen).toEqual([events[0], events[1]]);
});

test('an event waits while one of its thread or with one of its names is under way, and so does what is tied to it', () => {
  const busy = new Set(tiesOf(makeEvent('x', { keys: ['a'], thread: 'C1' })));
  const events = [
    makeEvent('b', { thread: 'C1' }),
    makeEvent('a', { thread: 'C2' }),
    makeEvent('c', { thread: 'C2' }),
    makeEvent('c', { thread: 'C3' }),
    makeEvent('d', { thread: 'C4' }),
  ];
  expect(chooseBatch(events, 10, busy).placeOf).toEqual(['later', 'later', 'later', 'later', 0]);
});

test('a thread of another platform or workspace is another thread, and no name', () => {
  const busy = new Set(tiesOf(makeEvent('a', { thread: 'C1' })));
  const events = [
    makeEvent('b', { thread: 'C1', platform: 'teams' }),
    makeEvent('c', { thread: 'C1', tenant: 'T2' }),
    makeEvent('C1', { thread: 'a' }),
  ];
  expect(chooseBatch(events, 10, busy).placeOf).toEqual([0, 1, 2]);
});

test('no name is twice in a batch, and the first event is always in it', () => {
  const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1 });
  fc.assert(
    fc.property(fc.array(names, { minLength: 1 }), fc.integer({ min: 1, max: 4 }), (all, most) => {
      const { events, placeOf } = chooseBatch(
        all.map((keys) => named(...keys)),
        most,
      );
      const used = events.flatMap(({ keys }) => keys);
      expect(new Set(used).size).toBe(used.length);
      expect(events.length).toBeLessThanOrEqual(most);
      expect(placeOf[0]).toBe(0);
      for (const [i, place] of placeOf.entries()) {
        if (place === 'later') continue;
        expect(events[place]?.keys.some((key) => all[i]?.some((name) => name === key))).toBe(true);
      }
    }),
  );
});
