// The slip that says a thread has something open.
import { hash } from 'node:crypto';
import type { InboxThread } from '#contracts/inbox.ts';
import type { Enqueue } from '#contracts/jobs.ts';
import type { Transaction } from '#store/database.ts';

/** Of the slips of one thread that may be taken now at most one waits. A digest, since names together may be longer than an index holds. */
export function keyOfThread({ platform, tenant, thread }: InboxThread): string {
  return hash('sha256', JSON.stringify([platform, tenant, thread]), 'hex');
}

/**
 * Sends the slip of one thread.
 * @param startAfter not before; now when left out. A later slip has a key of its own: those that are sent meanwhile would
 *   otherwise be dropped for it, and it may be an hour away
 */
export async function sendSlip(
  { enqueue }: { enqueue: Enqueue<Transaction> },
  tx: Transaction,
  { platform, tenant, thread }: InboxThread,
  startAfter?: Date,
): Promise<void> {
  const payload = { platform, tenant, thread };
  const key = keyOfThread(payload);
  const options =
    startAfter === undefined ? { key } : { key: `${key}@${startAfter.toISOString()}`, startAfter };
  await enqueue(tx, 'inbox', payload, options);
}

/** A slip for each thread, in one order everywhere: whoever sends one waits for those who are sending the same. */
export function slipsFor(threads: InboxThread[]): { payload: InboxThread; key: string }[] {
  const slips = new Map(
    threads.map(({ platform, tenant, thread }) => {
      const payload = { platform, tenant, thread };
      return [keyOfThread(payload), payload];
    }),
  );
  return [...slips]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, payload]) => ({ key, payload }));
}
