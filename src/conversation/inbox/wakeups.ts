// The jobs that wake a worker for a thread of the inbox that has something open.
import { hash } from 'node:crypto';
import type { AuthoredThread, InboxThread } from '#contracts/inbox.ts';
import type { Enqueue } from '#contracts/jobs.ts';
import type { Transaction } from '#store/database.ts';

/**
 * Of the wakeups of one thread that may be taken now at most one waits. A digest, since names together may be longer than an
 * index holds.
 */
export function keyOfThread({ platform, tenant, thread }: InboxThread): string {
  return hash('sha256', JSON.stringify([platform, tenant, thread]), 'hex');
}

type Wakeup = { payload: InboxThread; key: string; person?: string };

/** Platforms call people of several workspaces by the same id. */
const personOf = ({ tenant, author }: AuthoredThread): { person?: string } =>
  author === undefined ? {} : { person: hash('sha256', JSON.stringify([tenant, author])) };

function wakeupFor(thread: AuthoredThread): Wakeup {
  const { platform, tenant, thread: name } = thread;
  return {
    payload: { platform, tenant, thread: name },
    key: keyOfThread(thread),
    ...personOf(thread),
  };
}

/**
 * Sends the wakeup of one thread.
 * @param startAfter not before; now when left out. A later wakeup has a key of its own: those that are sent meanwhile would
 *   otherwise be dropped for it, and it may be an hour away
 */
export async function sendWakeup(
  { enqueue }: { enqueue: Enqueue<Transaction> },
  tx: Transaction,
  thread: AuthoredThread,
  startAfter?: Date,
): Promise<void> {
  const { payload, key, ...turn } = wakeupFor(thread);
  const options =
    startAfter === undefined
      ? { key, ...turn }
      : { key: `${key}@${startAfter.toISOString()}`, startAfter };
  await enqueue(tx, 'inbox', payload, options);
}

/** A wakeup for each thread, in one order everywhere: whoever sends one waits for those who are sending the same. */
export function wakeupsFor(threads: AuthoredThread[]): Wakeup[] {
  const wakeups = new Map(threads.map((thread) => [keyOfThread(thread), wakeupFor(thread)]));
  return [...wakeups.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}
