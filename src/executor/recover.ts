// Putting right what a crash left: lost leases, plans without a slip, approvals nobody started, plans that stand still.
import { system } from '#contracts/actor.ts';
import { finishIfDone } from '#plans/finish.ts';
import { transition } from '#plans/lifecycle.ts';
import { isTerminal } from '#plans/lifecycle-table.ts';
import { wakeWatchers, wakeWorkers } from '#plans/wake.ts';
import { lockPlan } from '#store/plans.ts';
import { findPlansWithLostLeases } from '#store/sql/leases.ts';
import {
  findPlansToWork,
  findStalledPlans,
  findUnstartedPlans,
  readLostSteps,
  settleLostSteps,
} from '#store/sql/recover.ts';
import type { ExecutorContext } from './executor-context.ts';
import { decideFate } from './recovery-rules.ts';
import { stopDependents } from './stop-dependents.ts';

const plansATurn = 100;
const unstartedAfterSeconds = 3;

/** Takes the steps of lost workers back; several processes may do it at once, the plan's lock decides. */
async function recoverPlan(context: ExecutorContext, planId: string): Promise<void> {
  const { db, enqueue } = context;
  await db.transaction(async (tx) => {
    const row = await lockPlan(tx, planId);
    const lost = await readLostSteps(tx, planId);
    if (lost.length === 0) return;
    const goesOn = !isTerminal(row.status);
    const fates = lost.map((step) => decideFate(step, goesOn));
    const { progress, failed } = await settleLostSteps(tx, planId, fates);
    const stopped = await stopDependents(context, tx, planId, failed);
    if (await finishIfDone(context, tx, row, stopped ?? progress)) return;
    await wakeWorkers(tx, enqueue, planId);
    await wakeWatchers(tx, enqueue, planId);
  });
}

async function stallPlan(context: ExecutorContext, planId: string): Promise<void> {
  const { db, enqueue, settings } = context;
  await db.transaction(async (tx) => {
    const row = await lockPlan(tx, planId);
    // Something may have happened before the lock was there.
    const still = await findStalledPlans(tx, settings.stall_minutes, 1, planId);
    if (still.length === 0) return;
    const reason = `Nothing has happened for ${settings.stall_minutes} minutes.`;
    await transition(
      tx,
      enqueue,
      row,
      'stall',
      { actor: system, reason },
      { result_summary: reason },
    );
  });
}

/** Each plan by itself: one that cannot be put right does not keep the others from it. */
async function forEachPlan(
  context: ExecutorContext,
  planIds: string[],
  work: (context: ExecutorContext, planId: string) => Promise<void>,
): Promise<void> {
  for (const planId of planIds) {
    await work(context, planId).catch((error: unknown) =>
      context.warn(`${planId} could not be recovered; trying again.`, error),
    );
  }
}

/** One round. Safe to run in many processes at once and at any time. */
export async function recover(context: ExecutorContext): Promise<void> {
  const { db, enqueue, settings } = context;
  await forEachPlan(context, await findPlansWithLostLeases(db.query, plansATurn), recoverPlan);
  const unstarted = await findUnstartedPlans(db.query, unstartedAfterSeconds, plansATurn);
  const idle = await findPlansToWork(db.query, plansATurn);
  if (unstarted.length + idle.length > 0) {
    await db.transaction(async (tx) => {
      for (const plan_id of unstarted) await enqueue(tx, 'execute', { plan_id }, { key: plan_id });
      for (const planId of idle) await wakeWorkers(tx, enqueue, planId);
    });
  }
  const stalled = await findStalledPlans(db.query, settings.stall_minutes, plansATurn);
  await forEachPlan(context, stalled, stallPlan);
}
