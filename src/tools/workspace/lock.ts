// Serialises changes of a file among processes by a hidden lock file.
// Its holder keeps touching it; an untouched one belongs to a dead process.
import { hash, randomBytes } from 'node:crypto';
import { type FileHandle, link, lstat, open, rename, stat, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CountersignError } from '#domain/errors.ts';
import { nothingDone, systemCode, throwIfAborted } from '../failures.ts';
import { throwIfLate } from '../late-call.ts';
import type { HeldPath } from './sandbox.ts';

const touchedEveryMs = 2000;
const staleMs = 10_000;
const longestWaitMs = 60_000;
const [shortestPauseMs, pausesMs] = [5, 20];

/** Listings skip these names. */
const hidden = (place: HeldPath, hex: string) => join(place.folder, `.countersign-${hex}.tmp`);

/** File systems may fold case and normalise names. */
function lockOf(place: HeldPath): string {
  const name = basename(place.path).normalize('NFC').toLowerCase();
  return hidden(place, hash('sha256', name).slice(0, 12));
}

async function tryLock(lock: string): Promise<FileHandle | null> {
  try {
    return await open(lock, 'wx');
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return null;
    throw error;
  }
}

function ignoreMissing(error: unknown): null {
  if (systemCode(error) === 'ENOENT') return null;
  throw error;
}

/** Only one process can move it; a newer lock moved by mistake is put back. */
async function removeStale(place: HeldPath, lock: string): Promise<void> {
  const found = await lstat(lock).catch(ignoreMissing);
  if (found === null || Date.now() - found.mtimeMs < staleMs) return;
  const aside = hidden(place, randomBytes(6).toString('hex'));
  if ((await rename(lock, aside).catch(ignoreMissing)) === null) return;
  const moved = await lstat(aside);
  if (moved.ino !== found.ino || moved.mtimeMs !== found.mtimeMs)
    await link(aside, lock).catch(() => undefined); // another has it by now
  await unlink(aside);
}

async function release(lock: string, held: FileHandle): Promise<void> {
  const { ino } = await held.stat();
  await held.close();
  const there = await lstat(lock).catch(ignoreMissing);
  // A process suspended for long has lost it to another.
  if (there?.ino === ino) await unlink(lock).catch(ignoreMissing);
}

/** @throws CountersignError if the lock is held too long or `signal` aborts */
export async function whileLocked<T>(
  place: HeldPath,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const lock = lockOf(place);
  const until = performance.now() + longestWaitMs;
  let held = await tryLock(lock);
  while (held === null) {
    throwIfAborted(signal);
    if (performance.now() > until)
      throw new CountersignError(
        'tool_failed',
        `${place.path} is being changed by other processes, so it was left as it is. Try again later.`,
        { details: nothingDone, passesAfterMs: 0 },
      );
    await pause(shortestPauseMs + Math.random() * pausesMs);
    await removeStale(place, lock);
    held = await tryLock(lock);
  }
  const handle = held;
  const touch = () => handle.utimes(new Date(), new Date()).catch(() => undefined); // closed by now
  const touching = setInterval(() => void touch(), touchedEveryMs);
  try {
    throwIfAborted(signal);
    throwIfLate();
    return await work();
  } finally {
    clearInterval(touching);
    await release(lock, handle);
  }
}

const keyOf = ({ path }: HeldPath): string => path.normalize('NFC').toLowerCase();

async function isSameLock(one: HeldPath, other: HeldPath): Promise<boolean> {
  if (basename(lockOf(one)) !== basename(lockOf(other))) return false;
  const [a, b] = await Promise.all([stat(one.folder), stat(other.folder)]);
  return a.ino === b.ino && a.dev === b.dev;
}

/** Always in the same order, to avoid a deadlock. */
export async function whileBothLocked<T>(
  one: HeldPath,
  other: HeldPath,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  if (await isSameLock(one, other)) return whileLocked(one, signal, work);
  const isFirst = keyOf(one) === keyOf(other) ? one.path < other.path : keyOf(one) < keyOf(other);
  const [first, second] = isFirst ? [one, other] : [other, one];
  return whileLocked(first, signal, () => whileLocked(second, signal, work));
}
