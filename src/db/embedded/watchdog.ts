// A separate program that stops the embedded PostgreSQL when no process uses it, which happens if the last was killed. It uses
// the lock under which processes join, so a new process is either seen or starts a server. If it is killed, the next check of
// any process starts another (`embedded.ts`).
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { errorMessage } from '#domain/errors.ts';
import { readOrMakePassword } from './cluster.ts';
import { endUnused, findRunning, underLock } from './embedded.ts';
import { readPostmaster } from './postmaster.ts';
import { countUsers, openSession, watchdogName } from './sessions.ts';

const lookEveryMs = 8000;
/** Consecutive checks without users before the server is stopped. */
const looksAtLeast = 2;
/** "wdog" in ASCII; only one watchdog holds it. */
const lockKey = 0x77_64_6f_67;

const log = { info: () => undefined, warn: (message: string) => console.error(message) };

/** A session with the watchdog's lock, or null without a server or if another watchdog has it. */
async function takePost(dir: string): Promise<Client | null> {
  const login = await underLock(dir, async (cluster) => {
    const password = await readOrMakePassword(cluster);
    const port = await findRunning(cluster, password, log);
    return port === null ? null : { port, password };
  });
  if (login === null) return null;
  const session = await openSession(login, watchdogName, 'postgres');
  session.on('error', () => undefined); // The next check fails and reports it.
  const { rows } = await session.query<{ mine: boolean }>(
    'select pg_try_advisory_lock($1) as mine',
    [lockKey],
  );
  if (rows[0]?.mine === true) return session;
  await session.end();
  return null;
}

/** Checks until the server is stopped; throws if the session is lost. */
async function watch(session: Client, dir: string): Promise<void> {
  for (let idle = 0; ; await pause(lookEveryMs)) {
    const { sessions } = await countUsers(session, null);
    idle = sessions === 0 ? idle + 1 : 0;
    if (idle >= looksAtLeast && !(await endUnused(dir, log))) return;
  }
}

const [dir = ''] = process.argv.slice(2);
// Without a postmaster there is nothing to guard, maybe not even a folder.
while ((await readPostmaster(join(dir, 'data'))) !== null) {
  const session = await takePost(dir);
  if (session === null) break;
  try {
    await watch(session, dir);
    break;
  } catch (error) {
    await session.end().catch(() => undefined); // Lost already.
    await pause(1000);
    if ((await readPostmaster(join(dir, 'data'))) !== null)
      console.error(`The session was lost: ${errorMessage(error)}`);
  }
}
process.exit();
