import { expect, test } from 'vitest';
import { makeRow } from '#bench/row.ts';
import { describeRows } from '#bench/table.ts';

const rate = { name: 'throughput', what: 'steps', unit: 'steps/s', value: 6000 } as const;
const target = { reach: 0.5, stretch: 1 };

test('a rate is judged by its ratio', () => {
  const row = makeRow({ ...rate, compared: { with: 'pg-boss', value: 10_000 }, target });
  expect(row).toMatchObject({ ratio: 0.6, reached: true, stretch_reached: false });
  expect(describeRows([row])).toMatch(
    /6,000 steps\/s +pg-boss: 10,000 steps\/s +0\.60 × +≥ 0\.5 × \(1 ×\) +yes$/m,
  );
});

test('without the other side there is no verdict, and the row says why', () => {
  const row = makeRow({ ...rate, compared: null, target, note: 'it is not installed' });
  expect(row).toMatchObject({ value: 6000, reached: null, stretch_reached: null });
  expect(row).not.toHaveProperty('ratio');
  expect(describeRows([row])).toContain('it is not installed');
});

test('a time is to be low', () => {
  const time = {
    name: 'start',
    what: 'ready',
    unit: 's',
    target: { reach: 5, stretch: 2.5 },
  } as const;
  const verdicts = [2.5, 4, 6].map((value) => {
    const { reached, stretch_reached } = makeRow({ ...time, value });
    return [reached, stretch_reached];
  });
  expect(verdicts).toEqual([
    [true, true],
    [true, false],
    [false, false],
  ]);
});
