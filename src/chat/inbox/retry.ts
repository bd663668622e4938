// Decides what happens to a failed event. Pure.
import { isTransient } from '#db/transient.ts';
import { drawFraction, type Random } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';

export type RetryRule = {
  /** Including the first. */
  tries: number;
  /** Doubles each time. */
  backoffMs: number;
  longestBackoffMs: number;
  /** For transient failures. */
  maxWaitMs: number;
};

export type NextTry = { next: 'retry'; inMs: number; counts: boolean } | { next: 'set_aside' };

/** The app was removed or lacks a scope. */
function needsOperator(error: unknown): boolean {
  return error instanceof CountersignError && error.code === 'not_allowed';
}

/** Null if permanent. */
export function passesAfter(error: unknown): number | null {
  if (error instanceof CountersignError && error.passesAfterMs !== null) return error.passesAfterMs;
  return isTransient(error) ? 0 : null;
}

/** Transient failures are retried for a day, others a few times, an operator's not at all. @param failures counted attempts */
export function decideNextTry(
  error: unknown,
  { attempt, failures, ageMs }: { attempt: number; failures: number; ageMs: number },
  rule: RetryRule,
  random: Random,
): NextTry {
  const asked = passesAfter(error);
  const passes = asked !== null;
  if (!passes && needsOperator(error)) return { next: 'set_aside' };
  if (passes ? ageMs + asked > rule.maxWaitMs : failures >= rule.tries) {
    return { next: 'set_aside' };
  }
  // A platform that names the wait needs no backoff.
  const doublings = asked !== null && asked > 0 ? 0 : (passes ? attempt : failures) - 1;
  // Avoids Infinity at 2^1024.
  const ceiling = Math.min(rule.backoffMs * 2 ** Math.min(doublings, 30), rule.longestBackoffMs);
  return {
    next: 'retry',
    inMs: (asked ?? 0) + Math.round((ceiling * (1 + drawFraction(random))) / 2),
    counts: !passes,
  };
}
