import { expect, test } from 'vitest';
import { readRetryAfter } from '#domain/retry-after.ts';

const now = Date.parse('2026-03-01T10:00:00Z');

test.each([
  ['3', 3000],
  [' 1.5 ', 1500],
  ['0', 0],
  ['Sun, 01 Mar 2026 10:00:30 GMT', 30_000],
  ['Sun, 01 Mar 2026 09:00:00 GMT', 0],
  ['soon', null],
  ['Infinity', null],
  ['', null],
  [null, null],
])('Retry-After %j is %j ms', (header, ms) => {
  expect(readRetryAfter(header, now)).toBe(ms);
});

test('a date says nothing where now is not known', () => {
  expect(readRetryAfter('Sun, 01 Mar 2026 10:00:30 GMT', Number.NaN)).toBeNull();
});
