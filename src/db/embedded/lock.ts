// An exclusive lock between processes through SQLite's file lock. The kernel releases it when its holder ends, so it is never
// stale.
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { CountersignError } from '#domain/errors.ts';

const pollMs = 20;

/** SQLITE_BUSY: another process holds the lock. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5;
}

function tryLock(handle: DatabaseSync): boolean {
  try {
    handle.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

/**
 * Runs `work` while holding the lock file `path`, created if missing and never removed. @throws CountersignError
 * `database_unavailable` if not acquired within `timeoutMs`
 */
export async function withLock<T>(
  path: string,
  timeoutMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const handle = new DatabaseSync(path, { timeout: 0 });
  try {
    const deadline = Date.now() + timeoutMs;
    while (!tryLock(handle)) {
      if (Date.now() > deadline)
        throw new CountersignError(
          'database_unavailable',
          `Another process has been starting or stopping the database for ${timeoutMs / 1000} s (it holds ${path}). End it and start again.`,
        );
      await pause(pollMs);
    }
    return await work();
  } finally {
    handle.close();
  }
}
