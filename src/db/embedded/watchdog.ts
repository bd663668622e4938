// Stops the embedded PostgreSQL when its last process was killed.
// It takes the lock under which processes join. If it is killed, any process starts another (`embedded.ts`).
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { errorMessage } from '#domain/errors.ts';
import { readOrMakePassword } from './cluster.ts';
import { endUnused, findRunning, underLock } from './embedded.ts';
import { readPostmaster } from './postmaster.ts';
import { countUsers, openSession, watchdogName } from './sessions.ts';

const lookEveryMs = 8000;
/** Consecutive checks without users. */
const looksAtLeast = 2;
/** "wdog" in ASCII. */
const lockKey = 0x77_64_6f_67;

const log = { info: () => undefined, warn: (message: string) => console.error(message) };

/** Null without a server or if another watchdog has the lock. */
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

async function watch(session: Client, dir: string): Promise<void> {
  for (let idle = 0; ; await pause(lookEveryMs)) {
    const { sessions } = await countUsers(session, null);
    idle = sessions === 0 ? idle + 1 : 0;
    if (idle >= looksAtLeast && !(await endUnused(dir, log))) return;
  }
}

const [dir = ''] = process.argv.slice(2);
while ((await readPostmaster(join(dir, 'data'))) !== null) {
  const session = await takePost(dir);
  if (session === null) break;
  try {
    await watch(session, dir);
    break;
  } catch (error) {
    await session.end().catch(() => undefined);
    await pause(1000);
    if ((await readPostmaster(join(dir, 'data'))) !== null)
      console.error(`The session was lost: ${errorMessage(error)}`);
  }
}
process.exit();
