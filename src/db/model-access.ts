// Encrypted model access entered in the console.
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Actor } from '#domain/people/actor.ts';
import { recordAudit } from './audit/audit.ts';
import type { Database, Queryable } from './database.ts';
import { notify } from './notify.ts';
import { modelAccess } from './schema.ts';
import type { Seal } from './seal.ts';

const Access = z.object({
  OPENAI_API_KEY: z.string().exactOptional(),
  OPENAI_BASE_URL: z.string().exactOptional(),
  ANTHROPIC_API_KEY: z.string().exactOptional(),
  ANTHROPIC_BASE_URL: z.string().exactOptional(),
});
export type StoredAccess = z.infer<typeof Access>;

const about = 'the access to the model';
const id = 1;

/** When it was entered, which distinguishes entries. */
export async function readModelMark(db: Queryable): Promise<string | null> {
  const [row] = await db.select({ at: modelAccess.connected_at }).from(modelAccess);
  return row?.at.toISOString() ?? null;
}

export async function readModelAccessRow(
  db: Queryable,
  seal: Seal,
): Promise<{ access: StoredAccess; by: string } | null> {
  const [row] = await db.select().from(modelAccess);
  if (row === undefined) return null;
  return { access: Access.parse(JSON.parse(seal.open(row.sealed, about))), by: row.connected_by };
}

export async function storeModelAccess(
  db: Database,
  seal: Seal,
  access: StoredAccess,
  actor: Actor,
): Promise<void> {
  const row = {
    sealed: seal.seal(JSON.stringify(access), about),
    connected_by: actor.id,
    connected_at: sql`clock_timestamp()`,
  };
  await db.transaction(async (tx) => {
    await tx
      .insert(modelAccess)
      .values({ id, ...row })
      .onConflictDoUpdate({ target: modelAccess.id, set: row });
    await recordAudit(tx, [{ planId: null, actor, action: 'connect_model' }]);
    await notify(tx, 'model-access');
  });
}

export async function removeModelAccess(db: Database, actor: Actor): Promise<boolean> {
  return db.transaction(async (tx) => {
    const { rowCount } = await tx.delete(modelAccess);
    if (rowCount === 0) return false;
    await recordAudit(tx, [{ planId: null, actor, action: 'disconnect_model' }]);
    await notify(tx, 'model-access');
    return true;
  });
}
