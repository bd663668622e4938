// Memoised results, keyed by the digest of everything they depend on (B5). Written once: the first result counts for all.
import { eq, sql } from 'drizzle-orm';
import type { Queryable } from '../database.ts';
import { planningMemo } from '../schema.ts';

export type MemoEntry = { key: string; kind: string; runId: string };

/** The stored result as JSON text; null: there is none. */
export async function readMemo(db: Queryable, key: string): Promise<string | null> {
  const [row] = await db
    .select({ text: sql<string>`${planningMemo.value} #>> '{}'` })
    .from(planningMemo)
    .where(eq(planningMemo.key, key));
  return row?.text ?? null;
}

/**
 * Stores a result, given as JSON text, unless there is one already. It is kept as a JSON string, so that what jsonb
 * cannot hold (NUL, lone surrogates) comes back as it was.
 * @returns what is stored now
 */
export async function writeMemo(
  db: Queryable,
  { key, kind, runId }: MemoEntry,
  text: string,
): Promise<string> {
  const added = await db
    .insert(planningMemo)
    .values({ key, kind, run_id: runId, value: sql`to_jsonb(${text}::text)` })
    .onConflictDoNothing()
    .returning({ key: planningMemo.key });
  return added.length > 0 ? text : ((await readMemo(db, key)) ?? text);
}
