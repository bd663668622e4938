// Plans being built by form, and edited steps, as JSON text.
import { and, eq, sql } from 'drizzle-orm';
import type { Queryable } from '../database.ts';
import { planningMemo } from '../schema.ts';
import { readMemo } from './checkpoints.ts';

const kind = 'build';

/** `about`: the plan and its step that is edited; default: the plan that is built. */
export type BuildOwner = { tenant: string | null; person: string; about?: [string, string] };

const keyOf = ({ tenant, person, about }: BuildOwner): string =>
  `${kind}:${JSON.stringify([tenant, person, ...(about ?? [])])}`;

export const readBuildText = (db: Queryable, owner: BuildOwner): Promise<string | null> =>
  readMemo(db, keyOf(owner));

/** @param before the text read, or null @returns false if it changed since */
export async function replaceBuildText(
  db: Queryable,
  owner: BuildOwner,
  before: string | null,
  text: string,
): Promise<boolean> {
  const value = sql`to_jsonb(${text}::text)`;
  const key = keyOf(owner);
  const { rowCount } =
    before === null
      ? await db.insert(planningMemo).values({ key, kind, run_id: '', value }).onConflictDoNothing()
      : await db
          .update(planningMemo)
          .set({ value, created_at: sql`clock_timestamp()` })
          .where(
            and(eq(planningMemo.key, key), eq(planningMemo.value, sql`to_jsonb(${before}::text)`)),
          );
  return rowCount === 1;
}

export async function deleteBuildText(
  db: Queryable,
  owner: BuildOwner,
  text: string,
): Promise<boolean> {
  const { rowCount } = await db
    .delete(planningMemo)
    .where(
      and(eq(planningMemo.key, keyOf(owner)), eq(planningMemo.value, sql`to_jsonb(${text}::text)`)),
    );
  return rowCount === 1;
}
