// Decides what happens to an event whose handler threw. Pure; randomness comes in as `random`.
import { isTransient } from '#db/transient.ts';
import { drawFraction, type Random } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';

export type RetryRule = {
  /** Counted attempts, including the first. */
  tries: number;
  /** The first wait; it doubles each time. */
  backoffMs: number;
  longestBackoffMs: number;
  /** How long transient failures are retried. */
  maxWaitMs: number;
};

export type NextTry = { next: 'retry'; inMs: number; counts: boolean } | { next: 'set_aside' };

/** Only an operator can fix it: the app was removed, or lacks a scope. */
function needsOperator(error: unknown): boolean {
  return error instanceof CountersignError && error.code === 'not_allowed';
}

/** Milliseconds after which the cause may have passed, or null if it is permanent. */
export function passesAfter(error: unknown): number | null {
  if (error instanceof CountersignError && error.passesAfterMs !== null) return error.passesAfterMs;
  return isTransient(error) ? 0 : null;
}

/**
 * Transient failures (a platform or database that is down) are retried for a day in place. Those for an operator are set aside at
 * once, others after a few attempts, so that the thread continues. Waits double up to a ceiling, with equal jitter.
 * @param attempt from 1
 * @param failures counted attempts, including this one
 * @param ageMs since the event was stored
 */
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
  // A platform that names the time to wait needs no backoff.
  const doublings = asked !== null && asked > 0 ? 0 : (passes ? attempt : failures) - 1;
  // Avoids Infinity at 2^1024; no ceiling is that many doublings away.
  const ceiling = Math.min(rule.backoffMs * 2 ** Math.min(doublings, 30), rule.longestBackoffMs);
  return {
    next: 'retry',
    inMs: (asked ?? 0) + Math.round((ceiling * (1 + drawFraction(random))) / 2),
    counts: !passes,
  };
}
