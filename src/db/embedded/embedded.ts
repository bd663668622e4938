// The embedded PostgreSQL: started by a home's first process, stopped by its last.
// The server is detached and survives kill -9; if that ended all processes, `watchdog.ts` stops it.
import { randomBytes } from 'node:crypto';
import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Client } from 'pg';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { findBinaries } from './binaries.ts';
import {
  type Cluster,
  ensureCluster,
  findOtherVersion,
  readOrMakePassword,
  refuseOtherVersion,
  removeDrafts,
  startServer,
  stopServer,
  syncCluster,
} from './cluster.ts';
import { explainFileError } from './files.ts';
import { chooseIdentity } from './identity.ts';
import { withLock } from './lock.ts';
import { isAlive, isServed, readPostmaster } from './postmaster.ts';
import { startDetached } from './run.ts';
import {
  ensureDatabase,
  hasWatchdog,
  isOurServer,
  type Login,
  openSession,
  othersConnected,
} from './sessions.ts';

export type Log = { info(message: string): void; warn(message: string): void };

export type EmbeddedOptions = {
  /** `<home>/postgres`; created if missing. */
  dir: string;
  log: Log;
  settings?: Record<string, string>;
  /** PostgreSQL's programs for data of another major version. */
  binaries?: string;
};

export type Embedded = {
  url: string;
  owned: boolean;
  /** Stops the server if unused. Close pools first. Safe to call twice. */
  close(): Promise<void>;
};

const lockTimeoutMs = 180_000;
const recoveryTimeoutMs = 120_000;
const watchdogEveryMs = 15_000;
const watchdogProgram = fileURLToPath(new URL('./watchdog.ts', import.meta.url));

/** A session held for this process's lifetime. (pg's types omit `ref` and `unref`.) */
type Presence = { session: Client & { ref(): void; unref(): void }; login: Login; owned: boolean };

export async function openCluster(dir: string, at?: string): Promise<Cluster> {
  const binaries = await findBinaries(at);
  // Root's server runs as another user, who must be able to enter the folder.
  await mkdir(dir, { recursive: true });
  await chmod(dir, process.getuid?.() === 0 ? 0o711 : 0o700);
  const data = join(dir, 'data');
  return {
    data,
    passwordFile: join(dir, 'password'),
    portFile: join(dir, 'port'),
    lockFile: join(dir, 'lock'),
    logFile: join(dir, 'server.log'),
    binaries,
    identity: await chooseIdentity(dir, data, binaries.initdb),
  };
}

/** Waits while it starts, recovers or stops; ignores a postmaster.pid with a reused PID. */
export async function findRunning(
  cluster: Cluster,
  password: string,
  log: Log,
): Promise<number | null> {
  const deadline = Date.now() + recoveryTimeoutMs;
  while (Date.now() < deadline) {
    const server = await readPostmaster(cluster.data);
    if (server === null || !isAlive(server.pid)) return null;
    if (server.status === 'ready') {
      const login = { port: server.port, password };
      if (await isOurServer(login, cluster.data)) return server.port;
    }
    if (!(await isServed(cluster.data, server.pid))) {
      log.warn(
        `postmaster.pid named process ${server.pid}, which is no database server; removed it`,
      );
      await rm(join(cluster.data, 'postmaster.pid'), { force: true });
      return null;
    }
    await pause(25);
  }
  throw new CountersignError(
    'database_unavailable',
    `The embedded PostgreSQL runs but has not answered for ${recoveryTimeoutMs / 1000} s. Read ${cluster.logFile}, end its process and start again.`,
  );
}

/** The caller holds the lock. */
async function enter(cluster: Cluster, options: EmbeddedOptions, id: string): Promise<Presence> {
  const password = await readOrMakePassword(cluster);
  const running = await findRunning(cluster, password, options.log);
  if (running === null) await removeDrafts(cluster);
  if (running === null) await refuseOtherVersion(cluster);
  const made = running === null && (await ensureCluster(cluster));
  const port = running ?? (await startServer(cluster, options.settings ?? {}));
  const login = { port, password };
  await ensureDatabase(login);
  const session = (await openSession(login, `countersign presence ${id}`)) as Presence['session'];
  if (made) syncCluster(cluster).catch((error: unknown) => options.log.warn(errorMessage(error)));
  options.log.info(
    running === null
      ? `PostgreSQL started on 127.0.0.1:${port}`
      : `joined the PostgreSQL on 127.0.0.1:${port}`,
  );
  return { session, login, owned: running === null };
}

/** The caller holds the lock. @param id the presence to exclude, or null @returns whether a server is left */
async function stopUnused(
  cluster: Cluster,
  password: string,
  id: string | null,
  log: Log,
): Promise<boolean> {
  const port = await findRunning(cluster, password, log);
  if (port === null) return false;
  if ((await othersConnected({ port, password }, id)) > 0) return true;
  await stopServer(cluster);
  log.info('PostgreSQL stopped');
  return false;
}

export async function underLock<T>(
  dir: string,
  work: (cluster: Cluster) => Promise<T>,
  binaries?: string,
): Promise<T> {
  try {
    const cluster = await openCluster(dir, binaries);
    return await withLock(cluster.lockFile, lockTimeoutMs, () => work(cluster));
  } catch (error) {
    throw explainFileError(error, dir);
  }
}

export function endUnused(dir: string, log: Log): Promise<boolean> {
  return underLock(dir, async (cluster) =>
    stopUnused(cluster, await readOrMakePassword(cluster), null, log),
  );
}

/** If several start at once, all but one exit. */
async function ensureWatchdog({ session }: Presence, dir: string): Promise<void> {
  if (await hasWatchdog(session)) return;
  startDetached(process.execPath, [watchdogProgram, dir], join(dir, 'watchdog.log'));
}

/** While open, a dead server is restarted. @throws `database_unavailable` with what to do */
export async function openEmbedded(options: EmbeddedOptions): Promise<Embedded> {
  const dir = resolve(options.dir);
  const id = randomBytes(6).toString('hex');
  const lock = <T>(work: (cluster: Cluster) => Promise<T>) =>
    underLock(dir, work, options.binaries);
  const first = await lock((cluster) => enter(cluster, options, id));
  let presence = first;
  let closing: Promise<void> | null = null;
  let reviving: Promise<void> | null = null;

  const revive = async () => {
    for (let delayMs = 100; closing === null; delayMs = Math.min(delayMs * 2, 5000)) {
      try {
        presence = await lock((cluster) => enter(cluster, options, id));
        watch(presence);
        if (presence.login.port !== first.login.port)
          options.log.warn('PostgreSQL restarted on another port; restart this process');
        return;
      } catch (error) {
        options.log.warn(`PostgreSQL ended and could not be restarted: ${errorMessage(error)}`);
        await pause(delayMs, undefined, { ref: false });
      }
    }
  };
  const watch = ({ session }: Presence) => {
    session.unref(); // The session alone must not keep the process alive.
    session.on('error', () => undefined);
    session.on('end', () => {
      if (closing !== null) return;
      options.log.warn('PostgreSQL ended; starting it again');
      reviving = revive();
    });
  };
  const guard = () =>
    ensureWatchdog(presence, dir).catch((error: unknown) => {
      if (closing === null)
        options.log.warn(`Could not start the watchdog of PostgreSQL: ${errorMessage(error)}`);
    });
  await guard();
  watch(presence);
  const guarding = setInterval(() => void guard(), watchdogEveryMs).unref();

  const close = async () => {
    clearInterval(guarding);
    await reviving;
    await lock(async (cluster) => {
      presence.session.ref();
      await presence.session.end().catch(() => undefined);
      await stopUnused(cluster, presence.login.password, id, options.log);
    });
  };
  return {
    url: `postgres://countersign:${first.login.password}@127.0.0.1:${first.login.port}/countersign`,
    owned: first.owned,
    close: () => {
      closing ??= close();
      return closing;
    },
  };
}

/** Makes room for a new cluster. @returns the data's new folder, or null if there is none of another version */
export function setAsideOtherVersion(dir: string, stamp: string): Promise<string | null> {
  return underLock(dir, async (cluster) => {
    if ((await findOtherVersion(cluster)) === null) return null;
    const aside = `${cluster.data}.before-${stamp}`;
    await rename(cluster.data, aside);
    return aside;
  });
}
