// Additions to pg: a limit on silence, several statements per round trip.
// After a failover, or if a firewall forgot the connection, no error arrives and TCP would wait 15 minutes.
import { Socket } from 'node:net';
import {
  Client,
  type ClientBase,
  type Connection,
  type Pool,
  type PoolClient,
  Query,
  type QueryResultRow,
} from 'pg';

export const usualSilenceMs = 20_000;

export const goodbyeMs = 1000;

const watched = new WeakSet<Socket>();

function giveUp(this: Socket): void {
  const seconds = (this.timeout ?? 0) / 1000;
  const error = new Error(
    `The database has not responded for ${seconds} s; the connection was closed.`,
  );
  this.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
}

/** Without traffic for `ms`, its statement fails with `ETIMEDOUT`. 0 disables the limit. */
export function limitSilence(client: ClientBase, ms: number): void {
  if (!(client instanceof Client)) return;
  const { stream } = client.connection;
  if (!(stream instanceof Socket)) return;
  if (!watched.has(stream)) {
    watched.add(stream);
    stream.on('timeout', giveUp);
  }
  stream.setTimeout(ms);
}

/** Drops idle connections together with a silent one: the cause usually affects all. @returns closes the pool */
export function limitSilenceOf(pool: Pool, ms: number): () => Promise<void> {
  const open = new Set<PoolClient>();
  const idle = new Set<PoolClient>();
  pool.on('connect', (client) => {
    open.add(client);
    client.connection.stream.once('close', () => open.delete(client));
    client.connection.stream.on('timeout', () => {
      for (const other of [...idle]) {
        // Its pool then no longer hands it out.
        other.emit('error', new Error('Another connection to the database has gone silent.'));
        other.connection.stream.destroy();
      }
    });
  });
  pool.on('acquire', (client) => {
    idle.delete(client);
    limitSilence(client, ms);
  });
  pool.on('release', (_error, client) => {
    limitSilence(client, 0);
    idle.add(client);
  });
  pool.on('remove', (client) => idle.delete(client));
  return async () => {
    await pool.end();
    const cut = setTimeout(() => {
      for (const { connection } of open) connection.stream.destroy();
    }, goodbyeMs);
    cut.unref();
  };
}

export type WrittenStatement = { name: string; text: string; values: string[] };

/** Under our own names, because pg tracks those it prepares itself. */
const prepared = new WeakMap<Connection, Set<string>>();

function send(connection: Connection, statements: WrittenStatement[], named: boolean): void {
  const known = prepared.get(connection) ?? new Set();
  prepared.set(connection, known);
  connection.stream.cork();
  for (const { name, text, values } of statements) {
    const statement = named ? `${name}_at_once` : '';
    if (!known.has(statement)) connection.parse({ name: statement, text, types: [] }, true);
    if (named) known.add(statement);
    connection.bind({ statement, values }, true);
    connection.describe({ type: 'P' }, true);
    connection.execute(null, true);
  }
  // Results are read while Postgres commits.
  connection.flush();
  connection.sync();
  connection.stream.uncork();
}

/**
 * Postgres treats everything between two Syncs as one transaction. @param named false leaves nothing prepared @returns each
 * one's rows, after commit @throws after a lost connection it may have committed; don't reuse the connection
 */
export function sendAtOnce(
  client: PoolClient,
  statements: WrittenStatement[],
  named = true,
): Promise<QueryResultRow[][]> {
  return new Promise((resolve, reject) => {
    const query = new Query('', [], (error, results) => {
      if (error) reject(error);
      else resolve([results].flat().map(({ rows }) => rows));
    });
    query.submit = (connection) => send(connection, statements, named);
    client.query(query);
  });
}
