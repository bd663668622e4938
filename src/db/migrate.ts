// Migrates a database to this build, or refuses a newer one.
// Any number of processes may start at once: one migrates under an advisory lock.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { Client, DatabaseError, escapeIdentifier } from 'pg';
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import type { Queryable } from './database.ts';
import { journal, schemaName, sessionName } from './instance.ts';
import { causeOf, isLockedOut } from './transient.ts';

export const migrationsFolder = join(import.meta.dirname, '..', '..', 'migrations');

const journalTable = `${escapeIdentifier(journal.schema)}.${escapeIdentifier(journal.table)}`;

/** Files are generated for the default schema. */
const forThisSchema = (statement: string) =>
  statement
    .replace('CREATE SCHEMA "countersign"', 'CREATE SCHEMA IF NOT EXISTS "countersign"')
    .replaceAll('"countersign".', `${escapeIdentifier(schemaName)}.`)
    .replaceAll('"countersign"', escapeIdentifier(schemaName))
    .replace(
      /(?<=(?:FROM|JOIN|UPDATE) )countersign\.(?=[a-z])/g,
      `${escapeIdentifier(schemaName)}.`,
    );

const Journal = z.object({
  entries: z.array(z.object({ tag: z.string(), when: z.number().int() })),
});

/** `when` (ms since 1970) is what drizzle records and orders by. */
type Migration = { tag: string; when: number };

export type MigrationState = {
  applied: string[];
  pending: string[];
  /** The newest migration's time, if this build doesn't know it. */
  unknown: Date | null;
};

async function readJournal(): Promise<Migration[]> {
  const text = await readFile(join(migrationsFolder, 'meta', '_journal.json'), 'utf8');
  return Journal.parse(JSON.parse(text)).entries;
}

/** Ms since 1970. */
async function readNewest(client: Client): Promise<number | null> {
  const there = await client.query<{ found: boolean }>(
    'select to_regclass($1) is not null as found',
    [journalTable],
  );
  if (there.rows[0]?.found !== true) return null;
  const { rows } = await client.query<{ newest: string | null }>(
    `select max(created_at)::text as newest from ${journalTable}`,
  );
  const newest = rows[0]?.newest ?? null;
  return newest === null ? null : Number(newest);
}

async function compareMigrations(client: Client): Promise<MigrationState> {
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

function refuseUnknown(state: MigrationState): void {
  if (state.unknown === null) return;
  const newest = [...state.applied, ...state.pending].at(-1) ?? 'none';
  throw new CountersignError(
    'schema_too_new',
    `The database has had a migration of ${state.unknown.toISOString()} that this Countersign does not know; the newest it knows is ${newest}. Upgrade Countersign, use another database (DATABASE_URL or COUNTERSIGN_HOME), or go back by a backup from before (docs/deploy.md).`,
    { details: { newest_known: newest, newest_applied: state.unknown.toISOString() } },
  );
}

/** `newer`: a later build has migrated it. */
export type SchemaAge = 'same' | 'newer' | 'older';

export async function readSchemaAge(db: Pick<Queryable, 'execute'>): Promise<SchemaAge> {
  const newest = Math.max(...(await readJournal()).map(({ when }) => when));
  const { rows } = await db.execute<{ at: string | null }>(
    sql`select max(created_at)::text as at from ${sql.raw(journalTable)}`,
  );
  const at = Number(rows[0]?.at ?? 0);
  if (at === newest) return 'same';
  return at > newest ? 'newer' : 'older';
}

/** Dropped ones included. pg-boss's may be in the same schema. */
export function listOwnTables(): string[] {
  const statements = readMigrationFiles({ migrationsFolder }).flatMap((one) => one.sql);
  return statements.flatMap((one) => /CREATE TABLE "countersign"\."(\w+)"/.exec(one)?.[1] ?? []);
}

export async function readNewestMigration(): Promise<string> {
  return (await readJournal()).at(-1)?.tag ?? 'none';
}

/** "coun" in ASCII. */
const lockKey = 0x63_6f_75_6e;

function describeFailure(error: unknown): string {
  const cause = causeOf(error);
  switch (error instanceof DatabaseError ? error.code : undefined) {
    case '28P01':
    case '28000':
      return `rejected the sign-in (${cause}). Correct the user or password in DATABASE_URL.`;
    case '3D000':
      return `is not there (${cause}). Create it, or correct its name in DATABASE_URL.`;
    default:
      return `cannot be reached (${cause}). Start it, or correct DATABASE_URL.`;
  }
}

async function connect(url: string): Promise<Client> {
  const client = new Client({
    connectionString: url,
    application_name: `${sessionName} migrate`,
    connectionTimeoutMillis: 10_000,
    // A migration may rewrite large tables or wait for one that does.
    query_timeout: 3_600_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  try {
    await client.connect();
    return client;
  } catch (error) {
    throw new CountersignError(
      'database_unavailable',
      `The database ${client.database ?? ''} at ${client.host}:${client.port} ${describeFailure(error)}`,
      { cause: error },
    );
  }
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connect(url);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export async function migrationState(url: string): Promise<MigrationState> {
  return await withClient(url, compareMigrations);
}

/** One transaction. @returns the applied names @throws `schema_too_new`, `database_unavailable` */
export async function migrate(url: string): Promise<string[]> {
  return await withClient(url, async (client) => {
    const before = await compareMigrations(client);
    refuseUnknown(before);
    if (before.pending.length === 0) return [];
    await client.query('select pg_advisory_lock($1)', [lockKey]);
    const now = await compareMigrations(client);
    refuseUnknown(now);
    if (now.pending.length > 0) await migrateOnline(client);
    return now.pending;
  });
}

/** Below the default `deadlock_timeout` of 1 s, so that the migration yields first. */
const firstLockMs = 500;
const longestLockMs = 60_000;

/** Tables may be in use: a lock wait that is too long rolls back, then retries with a longer one. */
async function migrateOnline(client: Client): Promise<void> {
  for (let lockMs = firstLockMs; ; lockMs = Math.min(lockMs * 2, longestLockMs)) {
    try {
      await client.query(`begin; set local lock_timeout = ${lockMs}`);
      await migrateWithin(client, null);
      await client.query('commit');
      return;
    } catch (error) {
      if (!isLockedOut(error)) throw error;
      await client.query('rollback');
      await pause(firstLockMs);
    }
  }
}

/** @throws `schema_too_new` if it is unknown */
export async function newestApplied(client: Client): Promise<Migration | null> {
  const [ours, newest] = [await readJournal(), await readNewest(client)];
  if (newest === null) return null;
  refuseUnknown(await compareMigrations(client));
  return ours.find(({ when }) => when === newest) ?? null;
}

/** @throws `schema_too_new` if this build doesn't know it */
export async function requireKnown(last: Migration): Promise<void> {
  const ours = await readJournal();
  if (!ours.some(({ when }) => when === last.when))
    throw new CountersignError(
      'schema_too_new',
      `It comes from a newer Countersign: its schema had migration ${last.tag}, which this one does not know. Upgrade Countersign first.`,
    );
}

/** Runs in `client`'s transaction. @param last the last to apply, or null for all */
export async function migrateWithin(client: Client, last: Migration | null): Promise<void> {
  const newest = await readNewest(client);
  if (newest === null)
    await client.query(
      `create schema if not exists ${escapeIdentifier(journal.schema)};
       create table if not exists ${journalTable} (id serial primary key, hash text not null, created_at bigint)`,
    );
  for (const { sql: statements, folderMillis: when, hash } of readMigrationFiles({
    migrationsFolder,
  })) {
    if (when <= (newest ?? 0)) continue;
    if (last !== null && when > last.when) break;
    for (const statement of statements) await client.query(forThisSchema(statement));
    await client.query(`insert into ${journalTable} (hash, created_at) values ($1, $2)`, [
      hash,
      when,
    ]);
  }
}
