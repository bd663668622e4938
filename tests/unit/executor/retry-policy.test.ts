import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import type { Random } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import { Settings } from '#domain/settings.ts';
import { decideRetry, ruleOf } from '#executor/retry-policy.ts';
import { nothingDone, outcomeUnknown } from '#tools/failures.ts';

/** @param fraction in [0, 1) */
function drawing(fraction: number): Random {
  return {
    hex: (bytes) =>
      Math.floor(fraction * 2 ** (8 * bytes))
        .toString(16)
        .padStart(2 * bytes, '0'),
  };
}

const least = drawing(0);
const most = drawing(1 - 2 ** -48);
const rule = { max_attempts: 3, backoff_seconds: 1, max_backoff_seconds: 60 };
const passing = new CountersignError('tool_failed', 'It is busy.', { passesAfterMs: 0 });
const lasting = new CountersignError('tool_failed', 'There is no such file.');
const unsent = new CountersignError('tool_unavailable', 'Nothing answers.', {
  passesAfterMs: 0,
  details: nothingDone,
});

describe('a call is made again', () => {
  it('when its cause passes and it may be repeated', () => {
    expect(decideRetry(passing, 'read', 1, rule, least)).toEqual({ retryInMs: 0 });
    expect(decideRetry(passing, 'idempotent', 1, rule, least)).toEqual({ retryInMs: 0 });
  });

  it('never when its cause stays', () => {
    for (const effect of ['read', 'idempotent', 'write'] as const)
      expect(decideRetry(lasting, effect, 1, rule, least)).toBeNull();
  });

  it('if it writes, only when it is certain that nothing was done', () => {
    expect(decideRetry(passing, 'write', 1, rule, least)).toBeNull();
    const unknown = new CountersignError('tool_failed', 'The answer never came.', {
      passesAfterMs: 0,
      details: outcomeUnknown,
    });
    expect(decideRetry(unknown, 'write', 1, rule, least)).toBeNull();
    expect(decideRetry(unsent, 'write', 1, rule, least)).toEqual({ retryInMs: 0 });
  });

  it('up to the attempts of its rule, the first included', () => {
    expect(decideRetry(passing, 'read', 2, rule, least)).not.toBeNull();
    expect(decideRetry(passing, 'read', 3, rule, least)).toBeNull();
    expect(decideRetry(passing, 'read', 1, { ...rule, max_attempts: 1 }, least)).toBeNull();
  });
});

describe('the pause before it', () => {
  it('has a ceiling that doubles, and stops growing at the longest backoff', () => {
    const many = { max_attempts: 100, backoff_seconds: 2, max_backoff_seconds: 30 };
    const ceilings = [1, 2, 3, 4, 5, 99].map(
      (attempt) => decideRetry(passing, 'read', attempt, many, most)?.retryInMs,
    );
    expect(ceilings).toEqual([2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });

  it('is anything from nothing to that ceiling (full jitter)', () => {
    const waitOf = (fraction: number) =>
      decideRetry(passing, 'read', 2, rule, drawing(fraction))?.retryInMs;
    expect([0, 0.25, 0.5, 0.75].map(waitOf)).toEqual([0, 500, 1000, 1500]);
  });

  it('is at least what the server asks for, and the jitter comes on top', () => {
    const busy = new CountersignError('tool_failed', '429', { passesAfterMs: 120_000 });
    expect(decideRetry(busy, 'read', 1, rule, least)).toEqual({ retryInMs: 120_000 });
    expect(decideRetry(busy, 'read', 1, rule, drawing(0.5))).toEqual({ retryInMs: 120_500 });
  });

  it('is not longer than a day: then the step fails', () => {
    const day = 24 * 3600 * 1000;
    const waitFor = (passesAfterMs: number) =>
      decideRetry(
        new CountersignError('tool_failed', '503', { passesAfterMs }),
        'read',
        1,
        rule,
        least,
      );
    expect(waitFor(day)).toEqual({ retryInMs: day });
    expect(waitFor(day + 1)).toBeNull();
  });

  it('stays inside its bounds whatever the rule', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 99 }),
        fc.double({ min: 0, max: 3600, noNaN: true }),
        fc.double({ min: 0, max: 86_400, noNaN: true }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, backoff, longest, fraction) => {
          const bounds = {
            max_attempts: 100,
            backoff_seconds: backoff,
            max_backoff_seconds: longest,
          };
          const wait = decideRetry(passing, 'read', attempt, bounds, drawing(fraction))?.retryInMs;
          expect(wait).toBeGreaterThanOrEqual(0);
          expect(wait).toBeLessThanOrEqual(Math.round(longest * 1000));
        },
      ),
    );
  });
});

test('the rule of an operation is its own where it says something, else that of all', () => {
  const settings = Settings.parse({
    executor: { step_timeout_seconds: 20, max_attempts: 4 },
    operations: { http_get: { max_attempts: 7, timeout_seconds: 5 } },
  });
  expect(ruleOf('http_get', settings.operations, settings.executor)).toEqual({
    timeout_seconds: 5,
    max_attempts: 7,
    backoff_seconds: 1,
    max_backoff_seconds: 60,
  });
  for (const other of ['http_request', 'constructor'])
    expect(ruleOf(other, settings.operations, settings.executor)).toMatchObject({
      timeout_seconds: 20,
      max_attempts: 4,
    });
});
