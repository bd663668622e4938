import { expect, test } from 'vitest';
import { median, quantile, toMilliseconds } from '#bench/numbers.ts';

test('the median is the middle value, or half-way between the two middle ones', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([7])).toBe(7);
  expect(() => median([])).toThrow('nothing was measured');
});

test('a percentile is a value that was measured', () => {
  const values = Array.from({ length: 300 }, (_, i) => 300 - i);
  expect(quantile(values, 0.99)).toBe(297);
  expect(quantile(values, 0.5)).toBe(150);
  expect(quantile([5], 0.99)).toBe(5);
});

test('times keep their microseconds', () => {
  expect(toMilliseconds('1970-01-01T00:00:01.234567Z')).toBeCloseTo(1234.567, 6);
  expect(toMilliseconds('1970-01-01T00:00:01.234Z')).toBe(1234);
  expect(toMilliseconds('1970-01-01T00:00:01Z')).toBe(1000);
});
