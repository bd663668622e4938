// Refuses presses, words and settings older than half an hour: their author may not mean them any more and is asked to repeat them.
import { CountersignError } from '#domain/errors.ts';

const meantForMs = 30 * 60_000;

function requireMeant(at: Date, now: Date, words: string): void {
  if (now.getTime() - at.getTime() <= meantForMs) return;
  throw new CountersignError('stale_version', words);
}

/** @throws `stale_version` when the press is so old that its presser is asked again */
export function requireRecentPress(at: Date, now: Date): void {
  requireMeant(
    at,
    now,
    'You pressed this more than half an hour ago, and it could not be done then. Nothing was changed: look at the card as it is now, and press again.',
  );
}

/** @throws `stale_version` when the deciding word is so old that its author is asked again */
export function requireRecentWord(at: Date, now: Date): void {
  requireMeant(
    at,
    now,
    'You wrote this more than half an hour ago, and it could not be done then. Nothing was changed: read what stands here now, and write it again.',
  );
}

/** @throws `stale_version` when the setting was made so long ago that its person is asked again */
export function requireRecentSetting(at: Date, now: Date): void {
  requireMeant(at, now, 'You set this more than half an hour ago; it was not kept. Set it again.');
}
