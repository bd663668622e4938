// A PostgreSQL with a synchronous replica that can replace it.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { onTestFinished } from 'vitest';
import { findBinaries } from '#db/embedded/binaries.ts';
import { openEmbedded } from '#db/embedded/embedded.ts';
import { findPorts } from '../soak/fleet.ts';
import { waitFor } from '../wait.ts';

export type Replicated = {
  primary: string;
  replica: string;
  /** As a power failure does. */
  kill(): Promise<void>;
  /** Takes commits once this resolves. */
  promote(): Promise<void>;
};

async function query<T extends object>(url: string, text: string): Promise<T[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(text)).rows;
  } finally {
    await client.end();
  }
}

export async function startReplicated(): Promise<Replicated> {
  const home = await mkdtemp(join(tmpdir(), 'countersign-replica-'));
  await chmod(home, 0o711); // The server drops root privileges.
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const log = { info: () => undefined, warn: () => undefined };
  const made = await openEmbedded({
    dir: join(home, 'postgres'),
    log,
    settings: { wal_level: 'replica', max_wal_senders: '4' },
  });
  await made.close();
  const [one, other] = [join(home, 'postgres', 'data'), join(home, 'postgres', 'replica')];
  const { uid, gid } = await stat(one);
  // A copy of a stopped server is a base backup.
  await cp(one, other, { recursive: true, preserveTimestamps: true });
  await writeFile(join(other, 'standby.signal'), '');
  await once(spawn('chown', ['-R', `${uid}:${gid}`, other]), 'close');

  const { postgres } = await findBinaries();
  const ports = await findPorts(2);
  const [port = 0, standbyPort = 0] = ports;
  const start = (data: string, settings: Record<string, string | number>): ChildProcess => {
    const set = Object.entries({
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      wal_level: 'replica',
      wal_keep_size: '1GB',
      ...settings,
    }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const server = spawn(postgres, ['-D', data, ...set], { uid, gid, stdio: 'ignore' });
    onTestFinished(async () => {
      if (server.exitCode !== null || server.signalCode !== null) return;
      const ended = once(server, 'close');
      server.kill('SIGQUIT');
      await ended;
    });
    return server;
  };
  const urlAt = (at: number) => {
    const url = new URL(made.url);
    url.port = String(at);
    return url.href;
  };
  const [primary, replica] = [urlAt(port), urlAt(standbyPort)];
  const leading = start(one, { port, synchronous_standby_names: '*' });
  const { username, password } = new URL(made.url);
  start(other, {
    port: standbyPort,
    primary_conninfo: `host=127.0.0.1 port=${port} user=${username} password=${password}`,
  });
  await waitFor(
    'the replica to confirm commits',
    () =>
      query<{ n: number }>(
        primary,
        `select count(*)::int as n from pg_stat_replication where sync_state = 'sync'`,
      ).then(
        ([row]) => row?.n === 1,
        () => false,
      ),
    { timeoutMs: 60_000 },
  );
  return {
    primary,
    replica,
    async kill() {
      const ended = once(leading, 'close');
      leading.kill('SIGQUIT');
      await ended;
    },
    async promote() {
      await query(replica, 'select pg_promote(true, 60)');
    },
  };
}
