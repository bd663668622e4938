// Decides what happens to an event whose handler threw. Pure; randomness comes in as `random`.
import { isTransient } from '#db/transient.ts';
import { drawFraction, type Random } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';

export type RetryRule = {
  /** Tries that count, the first included. */
  tries: number;
  /** The wait after the first try; it doubles with each. */
  backoffMs: number;
  longestBackoffMs: number;
  /** For how long an event is tried again whose failures pass by themselves. */
  patienceMs: number;
};

export type NextTry = { next: 'retry'; inMs: number; counts: boolean } | { next: 'set_aside' };

/** What only an operator can mend is not mended by trying: the app was removed, or lacks a scope. */
function needsOperator(error: unknown): boolean {
  return error instanceof CountersignError && error.code === 'not_allowed';
}

/** Milliseconds after which the cause may have passed; null: it does not by itself. */
export function passesAfter(error: unknown): number | null {
  if (error instanceof CountersignError && error.passesAfterMs !== null) return error.passesAfterMs;
  return isTransient(error) ? 0 : null;
}

/**
 * An event whose handler says that the cause passes (a platform that is away or wants less, a database that restarts)
 * keeps its place for a day. What an operator has to mend is set aside at once, any other after a few tries, so that its
 * thread goes on. Waits double up to a ceiling, with equal jitter: at least half of each is kept, since the thread waits
 * as well.
 * @param attempt of this try, from 1
 * @param failures tries that counted, this one included
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
  if (passes ? ageMs + asked > rule.patienceMs : failures >= rule.tries) {
    return { next: 'set_aside' };
  }
  // A platform that names the time to wait needs no backoff.
  const doublings = asked !== null && asked > 0 ? 0 : (passes ? attempt : failures) - 1;
  // 2^1024 would be Infinity; no ceiling is that many doublings away.
  const ceiling = Math.min(rule.backoffMs * 2 ** Math.min(doublings, 30), rule.longestBackoffMs);
  return {
    next: 'retry',
    inMs: (asked ?? 0) + Math.round((ceiling * (1 + drawFraction(random))) / 2),
    counts: !passes,
  };
}
