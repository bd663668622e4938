// Who gets automatic refreshes, if more read than a card can name.
import { expect, test } from 'vitest';
import { chooseReaders } from '#adapters/teams/port/members.ts';

const people = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: `29:${i}`, account: `p${i}@example.com` }));

test.each([
  [0, 0],
  [59, 59],
  [60, 60],
  [61, 60],
  [1000, 60],
])('of %i readers %i are named', (count, named) => {
  expect(new Set(chooseReaders(people(count), [])).size).toBe(named);
});

test('those it waits for come first, in whatever letters their names are written', () => {
  const chosen = chooseReaders(people(100), ['P99@Example.com', '@p70@example.com', 'nobody']);
  expect(chosen.slice(0, 3)).toEqual(['29:70', '29:99', '29:0']);
  expect(chosen).toHaveLength(60);
});
