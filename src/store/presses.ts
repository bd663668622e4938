// Presses that were decided about. A press and what it does stand together or not at all.
import { eq, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from './database.ts';
import { presses } from './schema.ts';

/** `refused`: why nothing was done; null: it was. */
export type PressRow = Pick<typeof presses.$inferSelect, 'refused'>;

/**
 * Writes down that a press is carried out. Waits for whoever is at the same one.
 * @returns null: it is written now; otherwise what became of it before, which stays
 */
export async function keepPress(tx: Transaction, once: string): Promise<PressRow | null> {
  const added = await tx
    .insert(presses)
    .values({ once })
    .onConflictDoNothing()
    .returning({ once: presses.once });
  if (added.length > 0) return null;
  return findPress(tx, once);
}

/** What became of a press; null: nothing yet. */
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

/** Deletes at most `limit` that were decided about more than `days` ago. @returns how many */
export async function forgetPresses(db: Queryable, days: number, limit: number): Promise<number> {
  const { rowCount } = await db.execute(sql`
    delete from countersign.presses where once in (
      select once from countersign.presses
      where at < clock_timestamp() - make_interval(days => ${days}) order by at limit ${limit})`);
  return rowCount ?? 0;
}
