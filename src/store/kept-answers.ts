// Answers to requests that carried a key. A key, what its request did and what it was answered stand together or not at all.
import { eq, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from './database.ts';
import { keptAnswers } from './schema.ts';

export type KeptAnswer = Pick<typeof keptAnswers.$inferSelect, 'request' | 'answer'>;

/**
 * Takes a key for a request. Waits for whoever has it in another transaction.
 * @returns null: it is taken now; otherwise what it was used for before
 */
export async function takeKey(
  tx: Transaction,
  key: string,
  request: string,
): Promise<KeptAnswer | null> {
  const added = await tx
    .insert(keptAnswers)
    .values({ key, request })
    .onConflictDoNothing()
    .returning({ key: keptAnswers.key });
  if (added.length > 0) return null;
  return findKey(tx, key);
}

/** What a key was used for; null: nothing yet. */
export async function findKey(db: Queryable, key: string): Promise<KeptAnswer | null> {
  const [row] = await db
    .select({ request: keptAnswers.request, answer: keptAnswers.answer })
    .from(keptAnswers)
    .where(eq(keptAnswers.key, key));
  return row ?? null;
}

/** Keeps the answer, in the transaction that began with `takeKey`. */
export async function keepAnswer(tx: Transaction, key: string, answer: unknown): Promise<void> {
  await tx.update(keptAnswers).set({ answer }).where(eq(keptAnswers.key, key));
}

/** Gives a key back whose request was refused, in the same transaction. */
export async function giveKeyBack(tx: Transaction, key: string): Promise<void> {
  await tx.delete(keptAnswers).where(eq(keptAnswers.key, key));
}

/** Deletes at most `limit` answers that are older than `days`. @returns how many */
export async function forgetAnswers(db: Queryable, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.execute(sql`
    delete from countersign.kept_answers where key in (
      select key from countersign.kept_answers
      where at < clock_timestamp() - make_interval(days => ${days}) order by at limit ${limit})`);
  return rowCount ?? 0;
}
