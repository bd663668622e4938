// The database server's facts, for `countersign doctor`.
import { sql } from 'drizzle-orm';
import { Client } from 'pg';
import type { Queryable } from './database.ts';

export type ServerFacts = {
  version: string;
  major: number;
  encoding: string;
  /** By which the server's clock is ahead of this machine's. */
  aheadMs: number;
  /** All users' connections, and the limit for ordinary users. */
  connections: { used: number; most: number };
  /** Bytes. */
  size: number;
  /** Identifies this database and this run of its server. */
  identity: string;
};

const identityOf = sql`(select oid from pg_database where datname = current_database()) || ' ' || pg_postmaster_start_time()`;

export async function readServerFacts(db: Queryable): Promise<ServerFacts> {
  const began = Date.now();
  const { rows: times } = await db.execute<{ ms: number }>(
    sql`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`,
  );
  const here = (began + Date.now()) / 2;
  const [row] = await db.rows<{
    version: string;
    number: number;
    encoding: string;
    used: number;
    most: number;
    size: number;
    identity: string;
  }>(sql`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
      pg_encoding_to_char(encoding) as encoding, pg_database_size(oid)::float8 as size, ${identityOf} as identity,
      (select count(*)::int from pg_stat_activity where datname is not null) as used,
      current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as most
    from pg_database where datname = current_database()`);
  if (row === undefined) throw new Error('readServerFacts: no row came back');
  const { version, number, encoding, used, most, size, identity } = row;
  return {
    version: version.split(' ')[0] ?? version,
    major: Math.floor(number / 10_000),
    encoding,
    aheadMs: (times[0]?.ms ?? here) - here,
    connections: { used, most },
    size,
    identity,
  };
}

/** @throws the connection's error */
export async function readIdentity(url: string): Promise<string> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  await client.connect();
  try {
    const { rows } = await client.query<{ identity: string }>(
      "select (select oid from pg_database where datname = current_database()) || ' ' || pg_postmaster_start_time() as identity",
    );
    return rows[0]?.identity ?? '';
  } finally {
    await client.end();
  }
}
