// Notifies watchers, and workers if there is work, in the transaction that changes a plan.
import type { Transaction } from '#db/database.ts';
import { notify } from '#db/notify.ts';
import type { Clock } from '#domain/clock.ts';
import type { Enqueue } from '#domain/jobs.ts';

/** Enqueues notifications (one waiting job per plan), ahead of less urgent jobs, and wakes the screens that show the plan. */
export async function wakeWatchers(
  tx: Transaction,
  enqueue: Enqueue<Transaction>,
  planId: string,
): Promise<void> {
  await enqueue(tx, 'card', { plan_id: planId }, { key: planId, urgent: true });
  await wakeScreens(tx, planId);
}

/**
 * Like `wakeWatchers` for changes no one waits for; never ahead of the result of a press. It has its own key, because a waiting
 * job suppresses a second one of its key, and an urgent one must not be lost.
 */
export async function wakeWatchersLater(
  tx: Transaction,
  enqueue: Enqueue<Transaction>,
  planId: string,
): Promise<void> {
  await enqueue(tx, 'card', { plan_id: planId, later: true }, { key: `${planId}@later` });
  await wakeScreens(tx, planId);
}

/** Minimum interval between progress notifications in milliseconds. */
const progressEveryMs = 1000;

/**
 * Announces a change that only moves counters: to screens now, to people in a second with later changes. Callers must throttle
 * it.
 */
export async function announceProgress(
  tx: Transaction,
  { enqueue, clock }: { enqueue: Enqueue<Transaction>; clock: Clock },
  planId: string,
): Promise<void> {
  const startAfter = new Date(clock.now().getTime() + progressEveryMs);
  const payload = { plan_id: planId, later: true, progress: true } as const;
  await enqueue(tx, 'card', payload, { key: `${planId}@progress`, startAfter });
  await wakeScreens(tx, planId);
}

function wakeScreens(tx: Transaction, planId: string): Promise<void> {
  return notify(tx, `plan:${planId}`);
}

/** Wakes every worker that has slots for the plan; recovery rounds find it if nobody listens. */
export function wakeWorkers(tx: Transaction, planId: string): Promise<void> {
  return notify(tx, `work:${planId}`);
}
