// Who is woken when a plan changes, with the change: whoever watches it, and workers when there is work.
import type { Enqueue } from '#contracts/jobs.ts';
import type { Transaction } from '#store/database.ts';
import { notify } from '#store/notify.ts';

/** Has people told what is new (one waiting job a plan) and wakes the screens that show it. */
export async function wakeWatchers(
  tx: Transaction,
  enqueue: Enqueue<Transaction>,
  planId: string,
): Promise<void> {
  await enqueue(tx, 'card', { plan_id: planId }, { key: planId });
  await notify(tx, `plan:${planId}`);
}

/** Leaves a slip (one waiting slip a plan) for whichever worker comes first. */
export async function wakeWorkers(
  tx: Transaction,
  enqueue: Enqueue<Transaction>,
  planId: string,
): Promise<void> {
  await enqueue(tx, 'step', { plan_id: planId }, { key: planId });
}
