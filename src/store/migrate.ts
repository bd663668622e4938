// Brings a database's schema up to this build. Any number of processes may start at once: one migrates under
// an advisory lock, the others wait for it and find nothing to do. A database newer than the build is refused.
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate as applyMigrations } from 'drizzle-orm/node-postgres/migrator';
import { Client } from 'pg';
import { CountersignError } from '#contracts/errors.ts';
import {
  compareMigrations,
  type MigrationState,
  migrationsFolder,
  notedIn,
  refuseUnknown,
} from './migrations.ts';
import { causeOf } from './transient.ts';

/** Key of the advisory lock: "coun" in ASCII, so that other users of the database hardly take the same. */
const lockKey = 0x63_6f_75_6e;

async function connect(url: string): Promise<Client> {
  const client = new Client({
    connectionString: url,
    application_name: 'countersign migrate',
    connectionTimeoutMillis: 10_000,
    // A migration may rewrite large tables, or wait for another process that does.
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
      `The database ${client.database ?? ''} at ${client.host}:${client.port} cannot be reached (${causeOf(error)}). Start it, or correct DATABASE_URL.`,
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

/** What was applied to the database and what is still to come. Changes nothing. */
export async function migrationState(url: string): Promise<MigrationState> {
  return await withClient(url, compareMigrations);
}

/**
 * Applies what is pending, all of it in one transaction.
 * @returns the names of the migrations this call applied; empty when the database was up to date
 * @throws CountersignError `schema_too_new`, or `database_unavailable` when it cannot be reached
 */
export async function migrate(url: string): Promise<string[]> {
  return await withClient(url, async (client) => {
    const before = await compareMigrations(client);
    refuseUnknown(before);
    if (before.pending.length === 0) return [];
    // The lock belongs to the session and ends with it, however that ends.
    await client.query('select pg_advisory_lock($1)', [lockKey]);
    const now = await compareMigrations(client);
    refuseUnknown(now);
    if (now.pending.length > 0)
      await applyMigrations(drizzle(client), { migrationsFolder, ...notedIn });
    return now.pending;
  });
}
