// Requests with an idempotency key and presses on cards, each done once. The key, its effect and its answer commit together.
import { eq } from 'drizzle-orm';
import type { Queryable, Transaction } from './database.ts';
import { keptAnswers, presses } from './schema.ts';

export type KeptAnswer = Pick<typeof keptAnswers.$inferSelect, 'request' | 'answer'>;

/**
 * Takes a key for a request. Waits for another transaction that has it.
 * @returns null if it is taken now; otherwise its earlier use
 */
export async function takeKey(
  tx: Transaction,
  key: string,
  request: string,
): Promise<KeptAnswer | null> {
  const { rowCount } = await tx.insert(keptAnswers).values({ key, request }).onConflictDoNothing();
  if (rowCount !== 0) return null;
  return findKey(tx, key);
}

/** The use of a key, or null if it is unused. */
export async function findKey(db: Queryable, key: string): Promise<KeptAnswer | null> {
  const [row] = await db
    .select({ request: keptAnswers.request, answer: keptAnswers.answer })
    .from(keptAnswers)
    .where(eq(keptAnswers.key, key));
  return row ?? null;
}

/** Stores the answer, in the transaction that began with `takeKey`. */
export async function keepAnswer(tx: Transaction, key: string, answer: unknown): Promise<void> {
  await tx.update(keptAnswers).set({ answer }).where(eq(keptAnswers.key, key));
}

/** Frees the key of a request that was refused, in the same transaction. */
export async function giveKeyBack(tx: Transaction, key: string): Promise<void> {
  await tx.delete(keptAnswers).where(eq(keptAnswers.key, key));
}

/** `refused`: the reason if nothing was done, or null. */
export type PressRow = Pick<typeof presses.$inferSelect, 'refused'>;

/**
 * Writes down that a press is carried out. Waits for another transaction that carries out the same one.
 * @returns null: it is written now; otherwise what became of it before, which stays
 */
export async function keepPress(tx: Transaction, once: string): Promise<PressRow | null> {
  const { rowCount } = await tx.insert(presses).values({ once }).onConflictDoNothing();
  if (rowCount !== 0) return null;
  return findPress(tx, once);
}

/** The result of a press, or null if there is none yet. */
export async function findPress(db: Queryable, once: string): Promise<PressRow | null> {
  const [row] = await db
    .select({ refused: presses.refused })
    .from(presses)
    .where(eq(presses.once, once));
  return row ?? null;
}

/** Writes down that nothing was done, in the transaction that began with `keepPress`. */
export async function refusePress(
  tx: Transaction,
  once: string,
  refused: NonNullable<PressRow['refused']>,
): Promise<void> {
  await tx.update(presses).set({ refused }).where(eq(presses.once, once));
}
