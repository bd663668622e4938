// Refuses presses, words and settings older than half an hour: their author may not mean them any more and is asked to repeat them.
import { refusalWords } from '#cards/decision-words.ts';
import { CountersignError } from '#domain/errors.ts';

const meantForMs = 30 * 60_000;

function requireMeant(at: Date, now: Date, words: string): void {
  if (now.getTime() - at.getTime() <= meantForMs) return;
  throw new CountersignError('stale_version', words);
}

/** @throws `stale_version` when the press is so old that its presser is asked again */
export function requireRecentPress(at: Date, now: Date): void {
  requireMeant(at, now, refusalWords.pressTooOld);
}

/** @throws `stale_version` when the deciding word is so old that its author is asked again */
export function requireRecentWord(at: Date, now: Date): void {
  requireMeant(at, now, refusalWords.wordTooOld);
}

/** @throws `stale_version` when the setting was made so long ago that its person is asked again */
export function requireRecentSetting(at: Date, now: Date): void {
  requireMeant(at, now, refusalWords.settingTooOld);
}
