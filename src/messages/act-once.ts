// A press decides once, while it is still meant. Its effect and its name commit together, so a retry after a crash or a lost answer
// learns the first outcome and changes nothing.
import { refusalWords } from '#cards/decision-words.ts';
import { type Commit, type Database, joinTransaction } from '#db/database.ts';
import { findPress, keepPress, type PressRow, refusePress } from '#db/idempotency.ts';
import type { Pressed } from '#domain/chat/card.ts';
import type { Clock } from '#domain/clock.ts';
import { CountersignError, type ErrorCode } from '#domain/errors.ts';

type Outcome<T> = { kind: 'done'; value: T } | { kind: 'refused'; why: CountersignError } | null;

/** @throws what the press was refused with the first time */
function repeat({ refused }: PressRow): void {
  if (refused === null) return;
  // Codes are written by this file, from errors of ours.
  throw new CountersignError(refused.code as ErrorCode, refused.message);
}

/** An error that says no for good; null: it passes by itself, or is none of ours. */
function refusalIn(error: unknown): CountersignError | null {
  return error instanceof CountersignError && error.passesAfterMs === null ? error : null;
}

/**
 * Carries out a press once: `check` outside any transaction, what it returns together with the press's name.
 * @param pressed undefined: the press has no name of its own, and is carried out each time
 * @param before what a press that was carried out before is answered
 * @throws what `check` and its commit throw; a refusal that does not pass by itself is remembered
 */
export async function actOnce<T>(
  { db, clock }: { db: Database; clock: Clock },
  pressed: Pressed | undefined,
  check: () => Promise<Commit<T>>,
  before: () => Promise<T>,
): Promise<T> {
  if (pressed === undefined) return db.transaction(await check());
  const { once, at } = pressed;
  const known = await findPress(db.query, once);
  if (known !== null) {
    repeat(known);
    return before();
  }
  let commit: Commit<T>;
  try {
    requireRecentPress(at, clock.now());
    commit = await check();
  } catch (error) {
    const why = refusalIn(error);
    if (why === null) throw error;
    commit = () => Promise.reject(why);
  }
  const outcome = await db.transaction(async (tx): Promise<Outcome<T>> => {
    // The name first: a second try waits here and holds no lock that the first one needs.
    const meanwhile = await keepPress(tx, once);
    if (meanwhile !== null) {
      repeat(meanwhile);
      return null;
    }
    try {
      return { kind: 'done', value: await joinTransaction(db, tx).transaction(commit) };
    } catch (error) {
      const why = refusalIn(error);
      if (why === null) throw error;
      // The refused change is rolled back to its savepoint; that it was refused is kept, so that the presser can be told later.
      await refusePress(tx, once, { code: why.code, message: why.message });
      return { kind: 'refused', why };
    }
  });
  if (outcome === null) return before();
  if (outcome.kind === 'refused') throw outcome.why;
  return outcome.value;
}

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
