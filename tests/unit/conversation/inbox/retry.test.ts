import { describe, expect, test } from 'vitest';
import { decideNextTry, type RetryRule } from '#chat/inbox/retry.ts';
import { CountersignError } from '#domain/errors.ts';

const rule: RetryRule = {
  tries: 3,
  backoffMs: 1000,
  longestBackoffMs: 60_000,
  maxWaitMs: 3_600_000,
};
const longest = { hex: () => 'ffffffffffff' };
const shortest = { hex: () => '000000000000' };
const broken = new Error('it cannot be read');
const away = (passesAfterMs: number) =>
  new CountersignError('tool_unavailable', 'Slack is away.', { passesAfterMs });
const at = (attempt: number, failures = attempt, ageMs = 0) => ({ attempt, failures, ageMs });

describe('an error that nobody expects to pass', () => {
  test('is tried again until its tries are used up', () => {
    expect(decideNextTry(broken, at(2), rule, longest)).toMatchObject({
      next: 'retry',
      counts: true,
    });
    expect(decideNextTry(broken, at(3), rule, longest)).toEqual({ next: 'set_aside' });
  });

  test('counts the tries that failed, not those that were cut off', () => {
    expect(decideNextTry(broken, at(9, 2), rule, longest)).toMatchObject({ next: 'retry' });
  });

  test('is waited out twice as long each time, and at least half of that', () => {
    const waits = (random: typeof longest) =>
      [1, 2, 3, 4, 7, 8, 2000].map((n) => {
        const next = decideNextTry(broken, at(n), { ...rule, tries: 5000 }, random);
        return next.next === 'retry' ? next.inMs : null;
      });
    expect(waits(longest)).toEqual([1000, 2000, 4000, 8000, 60_000, 60_000, 60_000]);
    expect(waits(shortest)).toEqual([500, 1000, 2000, 4000, 30_000, 30_000, 30_000]);
  });
});

describe('an error that passes by itself', () => {
  test('does not count, however often it comes', () => {
    expect(decideNextTry(away(0), at(500, 500), rule, longest)).toEqual({
      next: 'retry',
      inMs: 60_000,
      counts: false,
    });
  });

  test('is waited for as long as it says, and the wait comes after that', () => {
    const next = decideNextTry(away(30_000), at(1), rule, shortest);
    expect(next).toEqual({ next: 'retry', inMs: 30_500, counts: false });
  });

  test('is given up when it would last beyond the patience with an event', () => {
    const aged = (ageMs: number) => decideNextTry(away(1000), at(5, 5, ageMs), rule, longest).next;
    expect(aged(3_599_000)).toBe('retry');
    expect(aged(3_599_001)).toBe('set_aside');
  });

  test('may be a database that is away', () => {
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
    expect(decideNextTry(refused, at(3), rule, longest)).toMatchObject({ counts: false });
  });
});

test('what an operator has to mend is set aside at once, unless it says that it passes', () => {
  const refused = (passesAfterMs: number | null) =>
    new CountersignError('not_allowed', 'The app is not installed there.', { passesAfterMs });
  expect(decideNextTry(refused(null), at(1), rule, longest)).toEqual({ next: 'set_aside' });
  expect(decideNextTry(refused(0), at(1), rule, longest)).toMatchObject({ next: 'retry' });
});
