// Idempotent requests: effect, key and response commit together.
import { type Database, joinTransaction } from '#db/database.ts';
import { findKey, giveKeyBack, type KeptAnswer, keepAnswer, takeKey } from '#db/idempotency.ts';
import { CountersignError } from '#domain/errors.ts';
import type { KeyedRequest } from '#domain/service.ts';

type Outcome = { kind: 'answered'; answer: unknown } | { kind: 'refused'; why: CountersignError };

/** @throws `key_reused` */
function replayAnswer(kept: KeptAnswer, digest: string): unknown {
  if (kept.request === digest) return kept.answer;
  throw new CountersignError(
    'key_reused',
    'This Idempotency-Key was used for another request to this path within the last day. Nothing was done: send a new key with a new request.',
  );
}

/**
 * @returns JSON
 * @param check runs first, outside any transaction
 * @throws `key_reused`; errors of `check` and `work`, which are not stored
 */
export async function answerOnce<C extends { db: Database }, K>(
  context: C,
  { key, digest }: KeyedRequest,
  check: () => Promise<K>,
  work: (joined: C, checked: K) => Promise<unknown>,
): Promise<unknown> {
  const before = await findKey(context.db.query, key);
  if (before !== null) return replayAnswer(before, digest);
  const checked = await check();
  const outcome = await context.db.transaction(async (tx): Promise<Outcome> => {
    // First: a retry waits here, holding no locks.
    const kept = await takeKey(tx, key, digest);
    if (kept !== null) return { kind: 'answered', answer: replayAnswer(kept, digest) };
    try {
      const answer = await work({ ...context, db: joinTransaction(context.db, tx) }, checked);
      await keepAnswer(tx, key, answer);
      return { kind: 'answered', answer };
    } catch (error) {
      if (!(error instanceof CountersignError) || error.passesAfterMs !== null) throw error;
      // A refusal rolls back, so a retry is judged again.
      await giveKeyBack(tx, key);
      return { kind: 'refused', why: error };
    }
  });
  if (outcome.kind === 'refused') throw outcome.why;
  return outcome.answer;
}
