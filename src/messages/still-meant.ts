// Refuses presses, words and settings older than half an hour: their author may have changed their mind and must repeat them.
import { refusalWords } from '#cards/decision-words.ts';
import { CountersignError } from '#domain/errors.ts';

const meantForMs = 30 * 60_000;

function requireMeant(at: Date, now: Date, words: string): void {
  if (now.getTime() - at.getTime() <= meantForMs) return;
  throw new CountersignError('stale_version', words);
}

/** @throws `stale_version` for an outdated press */
export function requireRecentPress(at: Date, now: Date): void {
  requireMeant(at, now, refusalWords.pressTooOld);
}

/** @throws `stale_version` for an outdated message */
export function requireRecentWord(at: Date, now: Date): void {
  requireMeant(at, now, refusalWords.wordTooOld);
}

/** @throws `stale_version` for an outdated setting */
export function requireRecentSetting(at: Date, now: Date): void {
  requireMeant(at, now, refusalWords.settingTooOld);
}
