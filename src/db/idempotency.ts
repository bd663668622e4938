// Requests with an idempotency key and card presses, each done once.
import { eq } from 'drizzle-orm';
import type { Queryable, Transaction } from './database.ts';
import { keptAnswers, presses } from './schema.ts';

export type KeptAnswer = Pick<typeof keptAnswers.$inferSelect, 'request' | 'answer'>;

/** Waits for another transaction that has it. @returns its earlier use, or null if taken now */
export async function takeKey(
  tx: Transaction,
  key: string,
  request: string,
): Promise<KeptAnswer | null> {
  const { rowCount } = await tx.insert(keptAnswers).values({ key, request }).onConflictDoNothing();
  if (rowCount !== 0) return null;
  return findKey(tx, key);
}

export async function findKey(db: Queryable, key: string): Promise<KeptAnswer | null> {
  const [row] = await db
    .select({ request: keptAnswers.request, answer: keptAnswers.answer })
    .from(keptAnswers)
    .where(eq(keptAnswers.key, key));
  return row ?? null;
}

export async function keepAnswer(tx: Transaction, key: string, answer: unknown): Promise<void> {
  await tx.update(keptAnswers).set({ answer }).where(eq(keptAnswers.key, key));
}

export async function giveKeyBack(tx: Transaction, key: string): Promise<void> {
  await tx.delete(keptAnswers).where(eq(keptAnswers.key, key));
}

/** The reason if nothing was done, or null. */
export type PressRow = Pick<typeof presses.$inferSelect, 'refused'>;

/** Waits for a transaction that carries out the same press. @returns its earlier result, or null if recorded now */
export async function keepPress(tx: Transaction, once: string): Promise<PressRow | null> {
  const { rowCount } = await tx.insert(presses).values({ once }).onConflictDoNothing();
  if (rowCount !== 0) return null;
  return findPress(tx, once);
}

export async function findPress(db: Queryable, once: string): Promise<PressRow | null> {
  const [row] = await db
    .select({ refused: presses.refused })
    .from(presses)
    .where(eq(presses.once, once));
  return row ?? null;
}

export async function refusePress(
  tx: Transaction,
  once: string,
  refused: NonNullable<PressRow['refused']>,
): Promise<void> {
  await tx.update(presses).set({ refused }).where(eq(presses.once, once));
}
