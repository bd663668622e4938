// A request that carries a key is done once. What it does, its key and its answer are stored together, so whoever sends it
// again, because the answer was lost, is answered the same.
import { CountersignError } from '#contracts/errors.ts';
import type { KeyedRequest } from '#contracts/service.ts';
import { type Database, joinedSilentMs, joinTransaction } from '#store/database.ts';
import { giveKeyBack, keepAnswer, takeKey } from '#store/kept-answers.ts';

type Outcome = { kind: 'answered'; answer: unknown } | { kind: 'refused'; why: CountersignError };

/**
 * Answers what `work` returns, as JSON; where the same request was answered before, what was returned then.
 * @throws `key_reused` where the key belongs to another request; what `work` throws, which is not kept
 */
export async function answerOnce<C extends { db: Database }>(
  context: C,
  { key, digest }: KeyedRequest,
  work: (joined: C) => Promise<unknown>,
): Promise<unknown> {
  const outcome = await context.db.transaction(
    async (tx): Promise<Outcome> => {
      // Its key first: whoever waits for that holds nothing that the first one needs.
      const kept = await takeKey(tx, key, digest);
      if (kept !== null) {
        if (kept.request === digest) return { kind: 'answered', answer: kept.answer };
        throw new CountersignError(
          'key_reused',
          'This Idempotency-Key was used for another request to this path within the last day. Nothing was done: send a new key with a new request.',
        );
      }
      try {
        const answer = await work({ ...context, db: joinTransaction(context.db, tx) });
        await keepAnswer(tx, key, answer);
        return { kind: 'answered', answer };
      } catch (error) {
        if (!(error instanceof CountersignError) || error.passesAfterMs !== null) throw error;
        // What was refused has undone itself, and is judged anew when it comes again.
        await giveKeyBack(tx, key);
        return { kind: 'refused', why: error };
      }
    },
    { silentMs: joinedSilentMs },
  );
  if (outcome.kind === 'refused') throw outcome.why;
  return outcome.answer;
}
