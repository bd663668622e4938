// Additions to pg: a limit on silence, several statements per round trip.
// After a failover, or if a firewall forgot the connection, no error arrives and TCP would wait 15 minutes.
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
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

function giveUpAfter(stream: Duplex, ms: number): void {
  const error = new Error(
    `The database has not responded for ${ms / 1000} s; the connection was closed.`,
  );
  stream.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
}

function giveUp(this: Socket): void {
  giveUpAfter(this, this.timeout ?? 0);
}

function socketOf({ connection: { stream } }: Pick<Client, 'connection'>): Socket | null {
  return stream instanceof Socket ? stream : null;
}

/** Without traffic for `ms`, its statement fails with `ETIMEDOUT`. 0 disables the limit. */
export function limitSilence(client: ClientBase, ms: number): void {
  if (!(client instanceof Client)) return;
  const stream = socketOf(client);
  if (stream === null) return;
  if (!watched.has(stream)) {
    watched.add(stream);
    stream.on('timeout', giveUp);
  }
  stream.setTimeout(ms);
}

const askAfterMs = 3000;
const lookEveryMs = 1000;

/** Those that the server at `url` no longer has; none if a pooler hides its sessions. @returns null without an answer */
async function findGone(url: string, clients: PoolClient[]): Promise<PoolClient[] | null> {
  const probe = new Client({
    connectionString: url,
    connectionTimeoutMillis: askAfterMs,
    query_timeout: askAfterMs,
  });
  probe.on('error', () => {});
  try {
    await probe.connect();
    const { rows } = await probe.query<{ own: number; pids: number[] }>(
      'select pg_backend_pid() as own, array(select pid from pg_stat_activity) as pids',
    );
    const [found] = rows;
    if (found === undefined || found.own !== pidOf(probe)) return [];
    return clients.filter((client) => !found.pids.includes(pidOf(client) ?? found.own));
  } catch {
    // Asked again: no server answers yet.
    return null;
  } finally {
    probe.connection.stream.destroy();
  }
}

/** Missing in pg's types. */
const pidOf = (client: object): number | null =>
  'processID' in client && typeof client.processID === 'number' ? client.processID : null;

/**
 * Asks the server about connections in use that have been silent for a while.
 * @returns stops it
 */
function watchSilent(
  inUse: () => PoolClient[],
  url: string,
  giveUpOn: (clients: PoolClient[]) => void,
): () => void {
  let seen = new Map<PoolClient, { read: number; at: number }>();
  let asking = false;
  const look = async () => {
    const now = performance.now();
    seen = new Map(
      inUse().map((client) => {
        const read = socketOf(client)?.bytesRead ?? 0;
        const before = seen.get(client);
        return [client, before?.read === read ? before : { read, at: now }] as const;
      }),
    );
    const silent = [...seen].flatMap(([client, { at }]) => (now - at < askAfterMs ? [] : [client]));
    const gone = silent.length === 0 ? [] : await findGone(url, silent);
    if (gone === null) return;
    for (const client of silent) seen.delete(client);
    giveUpOn(gone);
  };
  const timer = setInterval(() => {
    if (asking) return;
    asking = true;
    void look().finally(() => {
      asking = false;
    });
  }, lookEveryMs).unref();
  return () => clearInterval(timer);
}

/**
 * Drops idle connections together with a silent one: the cause usually affects all.
 * @param url asked about silent connections @returns closes the pool
 */
export function limitSilenceOf(pool: Pool, ms: number, url: string): () => Promise<void> {
  const open = new Set<PoolClient>();
  const idle = new Set<PoolClient>();
  const dropIdle = () => {
    for (const other of [...idle]) {
      // Its pool then no longer hands it out.
      other.emit('error', new Error('Another connection to the database has gone silent.'));
      other.connection.stream.destroy();
    }
  };
  const stopWatching = watchSilent(
    () => [...open].filter((client) => !idle.has(client)),
    url,
    (gone) => {
      for (const client of gone) giveUpAfter(client.connection.stream, askAfterMs);
      if (gone.length > 0) dropIdle();
    },
  );
  pool.on('connect', (client) => {
    open.add(client);
    client.connection.stream.once('close', () => open.delete(client));
    client.connection.stream.on('timeout', dropIdle);
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
    stopWatching();
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
