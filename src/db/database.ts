// The connection to Postgres: one pool, drizzle on top, and transactions that pg-boss can join.
import { fillPlaceholders, is, Placeholder, type SQL, sql } from 'drizzle-orm';
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import { PgDialect, PgJsonb } from 'drizzle-orm/pg-core';
import { Client, Pool, type PoolClient, type QueryResultRow, types } from 'pg';
import { parseExactly } from '#domain/exact-json.ts';
import {
  limitSilence,
  limitSilenceOf,
  sendAtOnce,
  usualSilenceMs,
  type WrittenStatement,
} from './connection.ts';
import { watchDisk } from './disk.ts';
import * as schema from './schema.ts';

/** A statement that Postgres parses and plans once per connection; `sql.placeholder(name)` marks each value. */
export type Statement = { name: string; text: string; params: unknown[] };

/** A statement and what it is run with; `values` by the names of its placeholders. */
export type FilledStatement = { statement: Statement; values: Record<string, unknown> };

/** The rows of each of several statements. */
type RowsOfEach<Rows extends QueryResultRow[]> = { [I in keyof Rows]: Rows[I][] };

/** Either the database or a transaction on it: what every function of this module takes first. */
export type Queryable = Pick<
  NodePgDatabase<typeof schema>,
  'select' | 'insert' | 'update' | 'delete' | 'execute' | 'selectDistinct' | 'selectDistinctOn'
> & {
  /** Runs a prepared statement; `values` by the names of its placeholders. */
  run<Row extends QueryResultRow>(
    statement: Statement,
    values: Record<string, unknown>,
  ): Promise<Row[]>;
  rows<Row extends QueryResultRow>(query: SQL): Promise<Row[]>;
  /** The first row, or null. */
  row<Row extends QueryResultRow>(query: SQL): Promise<Row | null>;
  /** The only column. */
  values<Value>(query: SQL): Promise<Value[]>;
  /** Whether the query finds anything. */
  hasRows(query: SQL): Promise<boolean>;
};

/** For what would be wrong outside a transaction. */
export type Transaction = Queryable & { readonly isTransaction: true };

const dialect = new PgDialect();

const textsByName = new Map<string, string>();

/**
 * Makes a prepared statement of `query`. Each placeholder is sent once.
 * @param name unique in the program, since a connection knows statements by their names
 */
export function prepareStatement(name: string, query: SQL): Statement {
  const { sql: text, params } = dialect.sqlToQuery(query);
  const distinct: unknown[] = [];
  const numbers = params.map((param) => {
    const same = distinct.findIndex(
      (other) => is(param, Placeholder) && is(other, Placeholder) && other.name === param.name,
    );
    return same === -1 ? distinct.push(param) : same + 1;
  });
  const numbered = text.replace(
    /\$(\d+)/g,
    (_, number: string) => `$${numbers[Number(number) - 1]}`,
  );
  if ((textsByName.get(name) ?? numbered) !== numbered)
    throw new Error(`prepareStatement: there is another statement ${name}`);
  textsByName.set(name, numbered);
  return { name, text: numbered, params: distinct };
}

/** Reads rows through `execute` of the object it is part of. */
const reading: Pick<Queryable, 'rows' | 'row' | 'values' | 'hasRows'> & ThisType<Queryable> = {
  async rows<Row extends QueryResultRow>(query: SQL) {
    // Drizzle's type of a row is conditional, which a type parameter leaves open.
    return (await this.execute<Row>(query)).rows as Row[];
  },
  async row<Row extends QueryResultRow>(query: SQL) {
    return (await this.rows<Row>(query))[0] ?? null;
  },
  async values<Value>(query: SQL) {
    // The caller knows the column's type, as with rows.
    return (await this.rows(query)).map((row) => Object.values(row)[0] as Value);
  },
  async hasRows(query) {
    return (await this.execute(query)).rows.length > 0;
  },
};

/** @param pooled a pooler hands its connections on after each transaction, and what one has prepared with them */
function queryableOn(client: Pool | PoolClient, pooled: boolean): Queryable {
  return Object.assign(drizzle(client, { schema }), reading, {
    async run<Row extends QueryResultRow>(
      { name, text, params }: Statement,
      values: Record<string, unknown>,
    ) {
      const query = { text, values: fillPlaceholders(params, values) };
      const { rows } = await client.query<Row>(pooled ? query : { name, ...query });
      return rows;
    },
  });
}

/**
 * The second half of a change: stores what was checked, inside the caller's transaction. Slow checks (tool answers, digests of
 * whole plans) happen before; under the row's lock this compares what they read, so a change in between is a conflict.
 */
export type Commit<T> = (tx: Transaction) => Promise<T>;

/** The database as seen inside `tx`: nested transactions are savepoints, which last only if `tx` commits. */
export function joinTransaction(db: Database, tx: Transaction): Database {
  let parts = 0;
  const joined: Database = {
    ...db,
    query: tx,
    async atOnce<Rows extends QueryResultRow[]>(
      statements: FilledStatement[] & { length: Rows['length'] },
    ) {
      return await joined.transaction(async (part) => {
        const rows: QueryResultRow[][] = [];
        for (const { statement, values } of statements)
          rows.push(await part.run(statement, values));
        return asRowsOfEach<Rows>(rows);
      });
    },
    async transaction(work) {
      parts += 1;
      const name = sql.identifier(`part_${parts}`);
      await tx.execute(sql`savepoint ${name}`);
      try {
        const result = await work(tx);
        await tx.execute(sql`release savepoint ${name}`);
        return result;
      } catch (error) {
        await tx.execute(sql`rollback to savepoint ${name}`);
        throw error;
      }
    },
  };
  return joined;
}

const transactions = new WeakMap<PoolClient, Transaction>();

/** The objects a transaction on `client` uses; made once per connection. */
function transactionOn(client: PoolClient, pooled: boolean): Transaction {
  const known = transactions.get(client);
  if (known !== undefined) return known;
  const made = Object.assign(queryableOn(client, pooled), { isTransaction: true as const });
  transactions.set(client, made);
  return made;
}

export type TransactionOptions = {
  /** For prepared statements run often: Postgres plans them once for all values instead of replanning. */
  planOnce?: boolean;
  /** Commits before the data is on disk; for data that can be recovered after a crash. */
  lazily?: boolean;
  /**
   * Server-side timeouts in milliseconds for a lock, a statement, and idling in the transaction (which ends the connection), so
   * that abandoned work keeps no locks.
   */
  limits?: { lockMs: number; statementMs: number; idleMs: number };
};

/**
 * Milliseconds a transaction may idle before the server ends it and its connection. A suspended or starved process, or a lost
 * host, would otherwise keep its locks.
 */
const usualIdleMs = 15_000;

/**
 * Milliseconds by which the server's limits precede this process's: slowness is reported as such, and no statement keeps
 * running there.
 */
const serverFirstMs = { statement: 2000, lock: 3000 };

/** Additional milliseconds per step for a change of a whole plan. */
const aStepMs = 3;

/** Plans up to this size need no extra time. */
const fewSteps = 2000;

/** Extends the time limit of the transaction's further statements for a change of a plan with this many steps. */
export async function allowForSteps(tx: Transaction, steps: number): Promise<void> {
  if (steps <= fewSteps) return;
  const ms = usualSilenceMs + steps * aStepMs;
  await tx.execute(sql`select set_config('statement_timeout', ${String(ms)}, true)`);
  limitSilence(connectionOf(tx), ms + serverFirstMs.statement);
}

export function connectionOf(tx: Queryable): Client {
  if ('$client' in tx && tx.$client instanceof Client) return tx.$client;
  throw new TypeError('connectionOf: there is one inside a transaction only');
}

/** A limit as the server takes it; 0 would be none. */
const wholeMs = (limit: number) => Math.max(1, Math.ceil(limit));

/** Begins a transaction in one round trip. */
function beginWith(
  { planOnce = false, lazily = false, limits }: TransactionOptions,
  usual: ServerLimits | null,
): string {
  const settings = [
    ...Object.entries(usual ?? {}).map(([name, ms]) => `${name} = ${wholeMs(ms)}`),
    ...(lazily ? ['synchronous_commit = off'] : []),
    ...(planOnce ? ['plan_cache_mode = force_generic_plan'] : []),
    ...(limits === undefined
      ? []
      : [
          `lock_timeout = ${wholeMs(limits.lockMs)}`,
          `statement_timeout = ${wholeMs(limits.statementMs)}`,
          `idle_in_transaction_session_timeout = ${wholeMs(limits.idleMs)}`,
        ]),
  ];
  return ['begin', ...settings.map((setting) => `set local ${setting}`)].join('; ');
}

/** Server-side time limits in milliseconds, by setting name. */
type ServerLimits = Record<
  'statement_timeout' | 'lock_timeout' | 'idle_in_transaction_session_timeout',
  number
>;

/** @param usual what each transaction says, where connections cannot, or null if they do */
async function runTransaction<T>(
  pool: Pool,
  work: (tx: Transaction) => Promise<T>,
  options: TransactionOptions,
  usual: ServerLimits | null,
): Promise<T> {
  const client = await pool.connect();
  let lost: Error | undefined;
  // The pool watches only idle connections. A broken one in use fails its statement, which is reported.
  const noteLoss = (error: Error) => {
    lost ??= error;
  };
  client.on('error', noteLoss);
  try {
    await client.query(beginWith(options, usual));
    const result = await work(transactionOn(client, usual !== null));
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((cause: Error) => {
      lost = cause;
    });
    throw error;
  } finally {
    client.off('error', noteLoss);
    // A lost connection, or one that can't roll back, is not reused.
    client.release(lost);
  }
}

function writeValue(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (Array.isArray(value) && value.every((one) => typeof one === 'number')) return `{${value}}`;
  throw new TypeError('atOnce: values are texts, numbers or lists of numbers');
}

function writeStatement({ statement, values }: FilledStatement): WrittenStatement {
  const { name, text, params } = statement;
  return { name, text, values: fillPlaceholders(params, values).map(writeValue) };
}

/** The author of a statement knows the type of its rows. */
const asRowsOfEach = <Rows extends QueryResultRow[]>(rows: QueryResultRow[][]) =>
  rows as RowsOfEach<Rows>;

async function runAtOnce(
  pool: Pool,
  statements: FilledStatement[],
  pooled: boolean,
): Promise<QueryResultRow[][]> {
  const written = statements.map(writeStatement);
  const client = await pool.connect();
  let failure: Error | undefined;
  const noteFailure = (error: Error) => {
    failure ??= error;
  };
  client.on('error', noteFailure);
  try {
    return await sendAtOnce(client, written, !pooled);
  } catch (error) {
    noteFailure(error instanceof Error ? error : new Error(String(error)));
    throw error;
  } finally {
    client.off('error', noteFailure);
    // A connection with a failure is not reused.
    client.release(failure);
  }
}

export type Database = {
  /**
   * Runs prepared statements as one transaction in one round trip, and returns after commit. Later statements can't depend on
   * this process reading earlier rows. After a lost connection it may have committed.
   */
  atOnce<Rows extends QueryResultRow[]>(
    statements: FilledStatement[] & { length: Rows['length'] },
  ): Promise<RowsOfEach<Rows>>;
  /** Runs `work` in one transaction; commits when it returns, rolls back when it throws. */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Statements outside a transaction. */
  query: Queryable;
  pool: Pool;
  url: string;
  /** Whether the disk was full and still is. */
  isDiskFull(): Promise<boolean>;
  close(): Promise<void>;
};

// int8 (revisions, ids, counts) fits a double up to 2^53; timestamps stay Date.
types.setTypeParser(types.builtins.INT8, Number);
// Stored JSON stays as it was: drizzle would parse its strings again.
PgJsonb.prototype.mapFromDriverValue = (value: unknown) => value;
for (const type of [types.builtins.JSON, types.builtins.JSONB])
  types.setTypeParser(type, (text) => parseExactly(text));

/** Milliseconds to wait for a connection. */
const connectMs = 10_000;

/**
 * Opens a pool of at most `max` connections. Nothing is connected until the first statement.
 * @param onError called for errors of idle connections, which would otherwise end the process
 */
export function openDatabase(
  url: string,
  options: {
    max: number;
    applicationName: string;
    /** A pooler hands connections on after each transaction, so they must keep no state. */
    pooled?: boolean;
    /** For transactions that say nothing of it; 15 s. */
    idleMs?: number;
    /** After which a connection in use is given up, when nothing is heard on it; 20 s. */
    silenceMs?: number;
    onError: (error: Error) => void;
  },
): Database {
  const { pooled = false, idleMs = usualIdleMs, silenceMs = usualSilenceMs } = options;
  const limits: ServerLimits = {
    statement_timeout: wholeMs(silenceMs - serverFirstMs.statement),
    lock_timeout: wholeMs(silenceMs - serverFirstMs.lock),
    idle_in_transaction_session_timeout: wholeMs(idleMs),
  };
  const pool = new Pool({
    connectionString: url,
    max: options.max,
    application_name: options.applicationName,
    connectionTimeoutMillis: connectMs,
    // Requests after a quiet minute should not wait for a new, cold connection.
    idleTimeoutMillis: 300_000,
    // Keeps proxies from dropping quiet connections, and notices lost ones early.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(pooled ? {} : limits),
  });
  pool.on('error', options.onError);
  const close = limitSilenceOf(pool, silenceMs);
  const transaction: Database['transaction'] = (work, options = {}) =>
    runTransaction(pool, work, options, pooled ? limits : null);
  return {
    atOnce: async <Rows extends QueryResultRow[]>(
      statements: FilledStatement[] & { length: Rows['length'] },
    ) => asRowsOfEach<Rows>(await runAtOnce(pool, statements, pooled)),
    transaction,
    isDiskFull: watchDisk(pool, transaction),
    query: queryableOn(pool, pooled),
    pool,
    url,
    close,
  };
}
