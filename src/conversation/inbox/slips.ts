// The slips that say which threads have something open.
import { hash } from 'node:crypto';
import { type InboxSlip, type InboxThread, threadsASlip } from '#contracts/inbox.ts';
import type { Enqueue } from '#contracts/jobs.ts';
import type { Transaction } from '#store/database.ts';

/** Of the slips of one thread alone that may be taken now at most one waits. A digest, since names together may be longer than an index holds. */
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

/**
 * Slips for threads, each named once: one slip for as many of a platform as it may name, since it is written, taken and noted
 * as done as a whole. A thread of its own has the key that `sendSlip` gives it. In one order everywhere: whoever sends one waits
 * for those who are sending the same.
 */
export function slipsFor(threads: InboxThread[]): { payload: InboxSlip; key: string }[] {
  const named = new Map(threads.map((thread) => [keyOfThread(thread), thread]));
  const sorted = [...named].sort(([a], [b]) => (a < b ? -1 : 1));
  const slips: { payload: InboxSlip; key: string }[] = [];
  for (const some of Map.groupBy(sorted, ([, { platform }]) => platform).values()) {
    for (let from = 0; from < some.length; from += threadsASlip) {
      const part = some.slice(from, from + threadsASlip);
      const [first, ...others] = part.map(([, { platform, tenant, thread }]) => ({
        platform,
        tenant,
        thread,
      }));
      if (first === undefined) continue;
      const keys = part.map(([key]) => key);
      slips.push(
        others.length === 0
          ? { payload: first, key: keys.join() }
          : {
              payload: {
                ...first,
                others: others.map(({ tenant, thread }) => ({ tenant, thread })),
              },
              key: hash('sha256', keys.join(), 'hex'),
            },
      );
    }
  }
  return slips.sort((a, b) => (a.key < b.key ? -1 : 1));
}

/** The threads that a slip names. */
export function threadsOf({ others = [], ...first }: InboxSlip): InboxThread[] {
  return [first, ...others.map((other) => ({ platform: first.platform, ...other }))];
}
