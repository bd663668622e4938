// The connection to Postgres: one pool, drizzle on top, and transactions that pg-boss can join.
import { sql } from 'drizzle-orm';
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import { Pool, types } from 'pg';
import { type Db, fromDrizzle } from 'pg-boss';
import * as schema from './schema.ts';

/** Either the database or a transaction on it: what every function of this room takes first. */
export type Queryable = Pick<
  NodePgDatabase<typeof schema>,
  'select' | 'insert' | 'update' | 'delete' | 'execute' | 'selectDistinct'
>;
export type Transaction = Queryable;

export type Database = {
  /** Runs `work` in one transaction; commits when it returns, rolls back when it throws. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Statements outside a transaction. */
  query: Queryable;
  pool: Pool;
  url: string;
  close(): Promise<void>;
};

// int8 (revisions, ids, counts) fits a double up to 2^53; timestamps stay Date.
types.setTypeParser(types.builtins.INT8, Number);

/**
 * Opens a pool of at most `max` connections. Nothing is connected until the first statement.
 * @param onError called for errors of idle connections, which would otherwise end the process
 */
export function openDatabase(
  url: string,
  options: { max: number; applicationName: string; onError: (error: Error) => void },
): Database {
  const pool = new Pool({
    connectionString: url,
    max: options.max,
    application_name: options.applicationName,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  pool.on('error', options.onError);
  const db = drizzle(pool, { schema });
  return {
    transaction: (work) => db.transaction((tx) => work(tx)),
    query: db,
    pool,
    url,
    close: () => pool.end(),
  };
}

/** The same transaction as pg-boss wants it, so that a job is sent only if the change commits. */
export function bossIn(tx: Transaction): Db {
  return fromDrizzle(tx, sql);
}
