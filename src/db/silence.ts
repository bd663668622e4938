// Drops connections on which the database has fallen silent. After a failover or a firewall that forgot the connection nothing
// arrives and no error is reported, and TCP would wait a quarter of an hour.
import { Socket } from 'node:net';
import { Client, type ClientBase, type Pool, type PoolClient } from 'pg';

/** Milliseconds that the server is waited for, where nothing else is said. */
export const usualSilenceMs = 20_000;

/** Milliseconds that a connection which is closed may take to say goodbye. */
export const goodbyeMs = 1000;

const watched = new WeakSet<Socket>();

function giveUp(this: Socket): void {
  const seconds = (this.timeout ?? 0) / 1000;
  const error = new Error(
    `The database has said nothing for ${seconds} s, so this connection was given up.`,
  );
  this.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
}

/**
 * From now on `client` is given up when neither side has sent anything for `ms`; its statement fails with `ETIMEDOUT`.
 * 0: it may be silent.
 */
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

/**
 * Limits the silence of connections of `pool` while somebody uses them. Where one is given up, those that lie idle are given
 * up as well: most often whatever happened to it happened to all, and a new one costs little.
 * @returns closes the pool; what does not say goodbye in time is cut off
 */
export function limitSilenceOf(pool: Pool, ms: number): () => Promise<void> {
  const open = new Set<PoolClient>();
  const idle = new Set<PoolClient>();
  pool.on('connect', (client) => {
    open.add(client);
    client.connection.stream.once('close', () => open.delete(client));
    client.connection.stream.on('timeout', () => {
      for (const other of [...idle]) {
        // Its pool hears of that now, and hands it out no more.
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
