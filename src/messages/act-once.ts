// A press decides once: its effect and its ID commit together.
// A retry after a crash or a lost answer learns the first outcome and changes nothing.
import { refusalWords } from '#cards/decision-words.ts';
import { type Commit, type Database, joinTransaction } from '#db/database.ts';
import { findPress, keepPress, type PressRow, refusePress } from '#db/idempotency.ts';
import type { Pressed } from '#domain/chat/card.ts';
import type { Clock } from '#domain/clock.ts';
import { CountersignError, type ErrorCode } from '#domain/errors.ts';

type Outcome<T> = { kind: 'done'; value: T } | { kind: 'refused'; why: CountersignError } | null;

function throwIfRefused({ refused }: PressRow): void {
  if (refused === null) return;
  // This file writes the codes, from our own errors.
  throw new CountersignError(refused.code as ErrorCode, refused.message);
}

/** Null for transient or foreign errors. */
function refusalIn(error: unknown): CountersignError | null {
  return error instanceof CountersignError && error.passesAfterMs === null ? error : null;
}

/**
 * Runs `check` outside any transaction, and commits its result with the press's ID. @param pressed undefined: applied each time
 * @param before the response to a repetition @throws errors of `check` and its commit; permanent refusals are remembered
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
    throwIfRefused(known);
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
    // Stored first: a retry waits here without holding locks that the first needs.
    const meanwhile = await keepPress(tx, once);
    if (meanwhile !== null) {
      throwIfRefused(meanwhile);
      return null;
    }
    try {
      return { kind: 'done', value: await joinTransaction(db, tx).transaction(commit) };
    } catch (error) {
      const why = refusalIn(error);
      if (why === null) throw error;
      // Rolled back to the savepoint; the refusal is kept for retries.
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

export function requireRecentPress(at: Date, now: Date): void {
  requireMeant(at, now, refusalWords.pressTooOld);
}

export function requireRecentWord(at: Date, now: Date): void {
  requireMeant(at, now, refusalWords.wordTooOld);
}

export function requireRecentSetting(at: Date, now: Date): void {
  requireMeant(at, now, refusalWords.settingTooOld);
}
