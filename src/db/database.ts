// The connection to Postgres: a pool, drizzle, and transactions pg-boss can join.
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

/** Parsed and planned once per connection; `sql.placeholder(name)` marks each value. */
export type Statement = { name: string; text: string; params: unknown[] };

export type FilledStatement = { statement: Statement; values: Record<string, unknown> };

type RowsOfEach<Rows extends QueryResultRow[]> = { [I in keyof Rows]: Rows[I][] };

export type Queryable = Pick<
  NodePgDatabase<typeof schema>,
  'select' | 'insert' | 'update' | 'delete' | 'execute' | 'selectDistinct' | 'selectDistinctOn'
> & {
  run<Row extends QueryResultRow>(
    statement: Statement,
    values: Record<string, unknown>,
  ): Promise<Row[]>;
  rows<Row extends QueryResultRow>(query: SQL): Promise<Row[]>;
  row<Row extends QueryResultRow>(query: SQL): Promise<Row | null>;
  values<Value>(query: SQL): Promise<Value[]>;
  hasRows(query: SQL): Promise<boolean>;
};

export type Transaction = Queryable & { readonly isTransaction: true };

const dialect = new PgDialect();

const textsByName = new Map<string, string>();

/** @param name unique in the program: connections know statements by name */
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

const reading: Pick<Queryable, 'rows' | 'row' | 'values' | 'hasRows'> & ThisType<Queryable> = {
  async rows<Row extends QueryResultRow>(query: SQL) {
    // Drizzle's row type is conditional, so it can't be inferred here.
    return (await this.execute<Row>(query)).rows as Row[];
  },
  async row<Row extends QueryResultRow>(query: SQL) {
    return (await this.rows<Row>(query))[0] ?? null;
  },
  async values<Value>(query: SQL) {
    return (await this.rows(query)).map((row) => Object.values(row)[0] as Value);
  },
  async hasRows(query) {
    return (await this.execute(query)).rows.length > 0;
  },
};

/** @param pooled a pooler hands connections on after each transaction, with what they prepared */
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

/** Stores what was checked before, in the caller's transaction; compares what was read, so a change in between is a conflict. */
export type Commit<T> = (tx: Transaction) => Promise<T>;

/** Nested transactions are savepoints, which last only if `tx` commits. */
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

function transactionOn(client: PoolClient, pooled: boolean): Transaction {
  const known = transactions.get(client);
  if (known !== undefined) return known;
  const made = Object.assign(queryableOn(client, pooled), { isTransaction: true as const });
  transactions.set(client, made);
  return made;
}

export type TransactionOptions = {
  /** Plan prepared statements once for all values. */
  planOnce?: boolean;
  /** Commit before the data is on disk; only for what can be recovered. */
  lazily?: boolean;
  /** Server-side, in milliseconds, so that abandoned work keeps no locks. `idleMs` ends the connection. */
  limits?: { lockMs: number; statementMs: number; idleMs: number };
};

/** A suspended process or lost host would otherwise keep its locks. */
const usualIdleMs = 15_000;

/** The server's limits come first, so that slowness is reported as such and no statement keeps running there. */
const serverFirstMs = { statement: 2000, lock: 3000 };

/** Extra time per step for a change of a whole plan. */
const aStepMs = 3;

const fewSteps = 2000;

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

const wholeMs = (limit: number) => Math.max(1, Math.ceil(limit));

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

type ServerLimits = Record<
  'statement_timeout' | 'lock_timeout' | 'idle_in_transaction_session_timeout',
  number
>;

/** @param usual settings for each transaction, or null if the connection has them */
async function runTransaction<T>(
  pool: Pool,
  work: (tx: Transaction) => Promise<T>,
  options: TransactionOptions,
  usual: ServerLimits | null,
): Promise<T> {
  const client = await pool.connect();
  let lost: Error | undefined;
  // The pool watches only idle connections. A broken one in use fails its statement.
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
    client.release(failure);
  }
}

export type Database = {
  /** One transaction in one round trip, returning after commit. After a lost connection it may have committed. */
  atOnce<Rows extends QueryResultRow[]>(
    statements: FilledStatement[] & { length: Rows['length'] },
  ): Promise<RowsOfEach<Rows>>;
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  query: Queryable;
  pool: Pool;
  url: string;
  /** Whether it was full and still is. */
  isDiskFull(): Promise<boolean>;
  close(): Promise<void>;
};

// int8 (revisions, IDs, counts) fits a double up to 2^53.
types.setTypeParser(types.builtins.INT8, Number);
// Drizzle would parse JSON strings again.
PgJsonb.prototype.mapFromDriverValue = (value: unknown) => value;
for (const type of [types.builtins.JSON, types.builtins.JSONB])
  types.setTypeParser(type, (text) => parseExactly(text));

const connectMs = 10_000;

/** Connects on the first statement. @param onError for idle connections, whose errors would end the process */
export function openDatabase(
  url: string,
  options: {
    max: number;
    applicationName: string;
    /** Connections must keep no state: a pooler hands them on after each transaction. */
    pooled?: boolean;
    /** Defaults to 15 s. */
    idleMs?: number;
    /** Silence after which a connection in use is dropped; 20 s. */
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
    // A request after a quiet minute shouldn't wait for a new connection.
    idleTimeoutMillis: 300_000,
    // Keeps proxies from dropping quiet connections.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    ...(pooled ? {} : limits),
  });
  pool.on('error', options.onError);
  const close = limitSilenceOf(pool, silenceMs, url);
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
