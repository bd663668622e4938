// What migrations this build has and what a database has had: the two lists `migrate` compares.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import { z } from 'zod';
import { CountersignError } from '#contracts/errors.ts';

/** The folder of drizzle's migrations, at the root of the project. */
export const migrationsFolder = join(import.meta.dirname, '..', '..', 'migrations');

/** Where drizzle notes what was applied: a schema of its own, because the first migration makes `countersign`. */
export const notedIn = { migrationsSchema: 'countersign_migrations', migrationsTable: 'applied' };

const Journal = z.object({
  entries: z.array(z.object({ tag: z.string(), when: z.number().int() })),
});

/** A migration of this build. `when` (ms since 1970) is what drizzle notes and orders by. */
type Migration = { tag: string; when: number };

export type MigrationState = {
  /** Names of applied migrations, oldest first. */
  applied: string[];
  /** Names of those still to come. */
  pending: string[];
  /** When the newest migration of the database was made, if this build does not know it; null: all known. */
  unknown: Date | null;
};

async function readJournal(): Promise<Migration[]> {
  const text = await readFile(join(migrationsFolder, 'meta', '_journal.json'), 'utf8');
  return Journal.parse(JSON.parse(text)).entries;
}

/** When the newest applied migration was made (ms since 1970), or null on a database that has had none. */
async function readNewest(client: Client): Promise<number | null> {
  const table = `${notedIn.migrationsSchema}.${notedIn.migrationsTable}`;
  const there = await client.query<{ found: boolean }>(
    'select to_regclass($1) is not null as found',
    [table],
  );
  if (there.rows[0]?.found !== true) return null;
  const { rows } = await client.query<{ newest: string | null }>(
    `select max(created_at)::text as newest from ${table}`,
  );
  const newest = rows[0]?.newest ?? null;
  return newest === null ? null : Number(newest);
}

/** Compares the database behind `client` with this build. */
export async function compareMigrations(client: Client): Promise<MigrationState> {
  const [ours, newest] = [await readJournal(), await readNewest(client)];
  const tags = (wanted: (when: number) => boolean) =>
    ours.filter(({ when }) => wanted(when)).map(({ tag }) => tag);
  if (newest === null) return { applied: [], pending: tags(() => true), unknown: null };
  return {
    applied: tags((when) => when <= newest),
    pending: tags((when) => when > newest),
    unknown: ours.some(({ when }) => when === newest) ? null : new Date(newest),
  };
}

/** @throws CountersignError `schema_too_new` when the database has had a migration this build does not know */
export function refuseUnknown(state: MigrationState): void {
  if (state.unknown === null) return;
  const newest = [...state.applied, ...state.pending].at(-1) ?? 'none';
  throw new CountersignError(
    'schema_too_new',
    `The database has had a migration of ${state.unknown.toISOString()} that this Countersign does not know; the newest it knows is ${newest}. Upgrade Countersign, or use another database (DATABASE_URL or COUNTERSIGN_HOME).`,
    { details: { newest_known: newest, newest_applied: state.unknown.toISOString() } },
  );
}
