// A lock between processes by SQLite's file lock, which the kernel releases.
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { CountersignError } from '#domain/errors.ts';

const pollMs = 20;

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

/** The file is created if missing and never removed. @throws `database_unavailable` after `timeoutMs` */
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
