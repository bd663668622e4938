// Notifies watchers, and workers when there is work, in the transaction that changes a plan.
import type { Transaction } from '#db/database.ts';
import { notify } from '#db/notify.ts';
import type { Clock } from '#domain/clock.ts';
import type { Enqueue } from '#domain/jobs.ts';

/** Has people told what is new (one waiting job a plan), before what can wait, and wakes the screens that show it. */
export async function wakeWatchers(
  tx: Transaction,
  enqueue: Enqueue<Transaction>,
  planId: string,
): Promise<void> {
  await enqueue(tx, 'card', { plan_id: planId }, { key: planId, urgent: true });
  await wakeScreens(tx, planId);
}

/**
 * The same for what nobody has pressed for: it never goes ahead of the outcome of a press. The key is its own, because where a
 * job of a key waits no second one is added, and an urgent one must not be lost to one that can wait.
 */
export async function wakeWatchersLater(
  tx: Transaction,
  enqueue: Enqueue<Transaction>,
  planId: string,
): Promise<void> {
  await enqueue(tx, 'card', { plan_id: planId, later: true }, { key: `${planId}@later` });
  await wakeScreens(tx, planId);
}

/** Progress is told at most once in so long (milliseconds); each telling takes the plan's lock. */
const progressEveryMs = 1000;

/**
 * Tells of a change that only moves counters: screens now, people in a second with what comes until then. The caller sees
 * to it that this is not done for every change.
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

/** Wakes the screens that show the plan. */
function wakeScreens(tx: Transaction, planId: string): Promise<void> {
  return notify(tx, `plan:${planId}`);
}

/** Sends a step job (one waiting job a plan) for whichever worker comes first. */
export async function wakeWorkers(
  tx: Transaction,
  enqueue: Enqueue<Transaction>,
  planId: string,
): Promise<void> {
  await enqueue(tx, 'step', { plan_id: planId }, { key: planId });
  await notify(tx, `work:${planId}`);
}
