// The embedded cluster on disk. Created whole: initdb's sibling folder becomes `data`.
import { randomBytes } from 'node:crypto';
import { appendFile, chown, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CountersignError } from '#domain/errors.ts';
import type { Binaries } from './binaries.ts';
import { exists, explainFailure, readIfThere, sizeOf } from './files.ts';
import { type Identity, run } from './run.ts';

export const roleName = 'countersign';

export type Cluster = {
  data: string;
  passwordFile: string;
  portFile: string;
  lockFile: string;
  logFile: string;
  binaries: Binaries;
  identity: Identity;
};

const maxLogBytes = 10_000_000;
const confName = 'countersign.conf';

const ourSettings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '128MB',
  jit: 'off',
  synchronous_commit: 'on',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_logical_replication_workers: '0',
  min_wal_size: '256MB',
  max_wal_size: '2GB',
  random_page_cost: '1.1',
  log_checkpoints: 'off',
};

async function giveToServer(path: string, identity: Identity): Promise<void> {
  if (identity.owner !== undefined) await chown(path, identity.owner.uid, identity.owner.gid);
}

/** Readable only by the server's user and root; written completely or not at all. */
async function writePrivate(path: string, text: string, identity: Identity): Promise<void> {
  const draft = `${path}.new`;
  await rm(draft, { force: true });
  await writeFile(draft, text, { mode: 0o600 });
  await giveToServer(draft, identity);
  await rename(draft, path);
}

export async function readOrMakePassword(cluster: Cluster): Promise<string> {
  const kept = (await readIfThere(cluster.passwordFile))?.trim() ?? '';
  if (kept !== '') return kept;
  if (await exists(cluster.data))
    throw new CountersignError(
      'database_unavailable',
      `The database's password is not in ${cluster.passwordFile}. Put the file back, or set COUNTERSIGN_HOME to a new folder.`,
    );
  const password = randomBytes(24).toString('hex');
  await writePrivate(cluster.passwordFile, `${password}\n`, cluster.identity);
  return password;
}

/** Left by a killed initdb; a running one keeps its own for a while. */
export async function removeDrafts(cluster: Cluster): Promise<void> {
  const dir = dirname(cluster.data);
  const drafts = (await readdir(dir)).filter((n) => n.startsWith(`${basename(cluster.data)}.new-`));
  for (const draft of drafts)
    await rm(join(dir, draft), { recursive: true, force: true }).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY')) throw error;
    });
}

/** The caller holds the lock. @returns whether it was created */
export async function ensureCluster(cluster: Cluster): Promise<boolean> {
  if (await exists(cluster.data)) return false;
  const draft = `${cluster.data}.new-${randomBytes(4).toString('hex')}`;
  await mkdir(draft, { mode: 0o700 });
  await giveToServer(draft, cluster.identity);
  const { code, output } = await run(
    cluster.binaries.initdb,
    [
      `--pgdata=${draft}`,
      `--username=${roleName}`,
      `--pwfile=${cluster.passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      '--no-sync', // `syncCluster` follows once the server answers.
    ],
    cluster.identity,
  );
  if (code !== 0) throw explainFailure('could not make its database', output);
  await appendFile(join(draft, 'postgresql.conf'), `\ninclude '${confName}'\n`);
  await rename(draft, cluster.data);
  return true;
}

/** To survive a power failure. */
export async function syncCluster(cluster: Cluster): Promise<void> {
  const args = [`--pgdata=${cluster.data}`, '--sync-only'];
  const { code, output } = await run(cluster.binaries.initdb, args, cluster.identity);
  if (code !== 0) throw explainFailure('could not flush its database to the disk', output);
}

/** Major versions of data and programs, or null if they don't differ. */
export async function findOtherVersion(
  cluster: Cluster,
): Promise<{ data: string; programs: string } | null> {
  const data = (await readIfThere(join(cluster.data, 'PG_VERSION')))?.trim();
  if (data === undefined) return null;
  const { output } = await run(cluster.binaries.postgres, ['--version'], cluster.identity);
  const programs = /\) (\d+)/.exec(output)?.[1];
  return programs === undefined || programs === data ? null : { data, programs };
}

/** @throws `database_unavailable` with how to migrate another major version's data */
export async function refuseOtherVersion(cluster: Cluster): Promise<void> {
  const other = await findOtherVersion(cluster);
  if (other === null) return;
  const { data, programs } = other;
  throw new CountersignError(
    'database_unavailable',
    `The embedded database in ${cluster.data} was made by PostgreSQL ${data}, and this Countersign brings ${programs}. Back it up with the Countersign that made it (countersign backup FILE), or with the programs of a PostgreSQL ${data} (countersign backup FILE --postgres FOLDER_OF_BIN). Then: countersign restore FILE --force`,
  );
}

/** @returns the offset at which the next start writes */
async function prepareLog(cluster: Cluster): Promise<number> {
  const size = await sizeOf(cluster.logFile);
  if (size > maxLogBytes) await rename(cluster.logFile, `${cluster.logFile}.1`);
  await writeFile(cluster.logFile, '', { flag: 'a', mode: 0o600 });
  await giveToServer(cluster.logFile, cluster.identity);
  return size > maxLogBytes ? 0 : size;
}

/** @returns PostgreSQL's output, or null if it started */
async function tryStart(
  cluster: Cluster,
  settings: Record<string, string>,
): Promise<string | null> {
  const conf = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
  await writePrivate(join(cluster.data, confName), conf.join(''), cluster.identity);
  const offset = await prepareLog(cluster);
  const { code, output } = await run(
    cluster.binaries.pgCtl,
    ['start', '-D', cluster.data, '-l', cluster.logFile, '-w', '-t', '120', '-s'],
    cluster.identity,
  );
  if (code === 0) return null;
  return `${output}\n${((await readIfThere(cluster.logFile)) ?? '').slice(offset)}`.trim();
}

/** The port was just taken, or a killed server's processes are still ending. */
const passing = /Address already in use|pre-existing shared memory block/i;

/** Starts it detached and waits for it. The caller holds the lock and knows that none runs. @returns its port */
export async function startServer(
  cluster: Cluster,
  extra: Record<string, string>,
): Promise<number> {
  let output = '';
  for (let attempt = 0; attempt < 40; attempt += 1) {
    const port = await choosePort(cluster.portFile);
    const failure = await tryStart(cluster, { ...ourSettings, ...extra, port: String(port) });
    if (failure === null) {
      await writeFile(cluster.portFile, `${port}\n`);
      return port;
    }
    output = failure;
    if (!passing.test(output)) break;
    await pause(250);
  }
  throw explainFailure('did not start', output);
}

/** The caller holds the lock. */
export async function stopServer(cluster: Cluster): Promise<void> {
  const args = ['stop', '-D', cluster.data, '-m', 'fast', '-w', '-t', '120', '-s'];
  const { code, output } = await run(cluster.binaries.pgCtl, args, cluster.identity);
  if (code !== 0 && !(output.includes('PID file') && output.includes('does not exist')))
    throw explainFailure('did not stop', output);
}

// Keeps the previous port if free, so that the address stays the same.

/** 0 for any; null if taken. */
function tryPort(port: number): Promise<number | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      const got = typeof address === 'object' && address !== null ? address.port : null;
      server.close(() => resolve(got));
    });
  });
}

async function choosePort(portFile: string): Promise<number> {
  const remembered = Number((await readIfThere(portFile)) ?? 0);
  const possible = Number.isInteger(remembered) && remembered > 0 && remembered < 65_536;
  const port = (possible ? await tryPort(remembered) : null) ?? (await tryPort(0));
  if (port !== null) return port;
  throw new CountersignError(
    'database_unavailable',
    'No port is free on 127.0.0.1 for the database. Set DATABASE_URL to a PostgreSQL of your own.',
  );
}
