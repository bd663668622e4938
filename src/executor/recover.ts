// Recovery after crashes: expired leases, lost jobs, stalled plans.
import { lockPlan } from '#db/plans/plans.ts';
import { findPlansFor } from '#db/sql/lanes.ts';
import { findPlansWithLostLeases } from '#db/sql/leases.ts';
import {
  findStalledPlans,
  findUnstartedPlans,
  readLostSteps,
  settleLostSteps,
} from '#db/sql/recover.ts';
import { findOrphanedReservations, forgetOldWaits } from '#db/sql/resources.ts';
import { readLabels } from '#db/steps/pages.ts';
import { system } from '#domain/people/actor.ts';
import { describeBlockage } from '#domain/plan/blockage.ts';
import { countOf } from '#domain/words.ts';
import { finishIfDone, stopDependents } from '#plans/lifecycle/ended-steps.ts';
import { transition, wakeWatchers, wakeWorkers } from '#plans/lifecycle/lifecycle.ts';
import { isTerminal } from '#plans/lifecycle/lifecycle-table.ts';
import { findBlocked } from '#plans/views/blocked.ts';
import { missDeadBackends } from './backends.ts';
import type { ExecutorContext, SharedContext } from './executor-context.ts';
import { decideRecovery } from './outcomes.ts';
import { releaseResources } from './settle.ts';

const plansATurn = 1000;
const reservationsATurn = 1000;
const unstartedAfterSeconds = 3;
const maxNotifiedBlocked = 2;

/** Safe to run concurrently: the plan's lock decides. */
async function recoverPlan(context: SharedContext, planId: string): Promise<void> {
  const { db, enqueue, warn } = context;
  const back = await db.transaction(async (tx) => {
    const row = await lockPlan(tx, planId);
    const lost = await readLostSteps(tx, planId);
    if (lost.length === 0) return [];
    const isOngoing = !isTerminal(row.status);
    const recoveries = lost.map((step) => decideRecovery(step, isOngoing));
    const { progress, failed, taken } = await settleLostSteps(tx, planId, recoveries);
    await releaseResources(tx, row, taken);
    const stopped = await stopDependents(tx, planId, failed, context.settings.on_failure);
    if (!(await finishIfDone(context, tx, row, stopped ?? progress))) {
      await wakeWorkers(tx, planId);
      await wakeWatchers(tx, enqueue, planId);
    }
    const back = new Set(taken);
    return recoveries.filter(({ position }) => back.has(position));
  });
  if (back.length === 0) return;
  const asked = back.filter(({ status }) => status === 'unknown').length;
  const rest = asked === 0 ? '' : ` A person must decide the outcome of ${countOf(asked, 'step')}.`;
  warn(`${countOf(back.length, 'step')} of ${planId} recovered from a lost worker.${rest}`);
}

async function stallPlan(context: SharedContext, planId: string): Promise<void> {
  const { db, enqueue, settings } = context;
  await db.transaction(async (tx) => {
    const row = await lockPlan(tx, planId);
    // Again, under the lock.
    const still = await findStalledPlans(tx, settings.stall_minutes, 1, planId);
    if (still.length === 0) return;
    const blocked = await findBlocked(tx, { ...row, paused: false });
    const notified = blocked.slice(0, maxNotifiedBlocked);
    const labels = await readLabels(
      tx,
      planId,
      notified.flatMap(({ step_ids }) => step_ids),
    );
    const reason = [
      `Nothing has happened for ${countOf(settings.stall_minutes, 'minute')}.`,
      ...notified.map((blockage) => describeBlockage(blockage, labels)),
    ].join(' ');
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

async function forEachPlan(
  context: SharedContext,
  planIds: string[],
  work: (context: SharedContext, planId: string) => Promise<void>,
): Promise<void> {
  for (const planId of planIds) {
    await work(context, planId).catch((error: unknown) =>
      context.warn(`${planId} could not be recovered; trying again.`, error),
    );
  }
}

async function freeOrphansOf(context: SharedContext, planId: string): Promise<void> {
  await context.db.transaction(async (tx) => {
    const row = await lockPlan(tx, planId);
    // Again, under the lock.
    const held = await findOrphanedReservations(tx, reservationsATurn, planId);
    if (held.length === 0) return;
    context.warn(`${planId} held resources for steps that do not run; given back.`);
    const pools = [...new Set(held.map(({ pool }) => pool))];
    const positions = held.map(({ position }) => position);
    await releaseResources(tx, { id: row.id, pools }, positions);
  });
}

async function freeOrphans(context: SharedContext): Promise<void> {
  const held = await findOrphanedReservations(context.db.query, reservationsATurn);
  await forEachPlan(context, [...new Set(held.map(({ plan_id }) => plan_id))], freeOrphansOf);
  await forgetOldWaits(context.db.query);
}

async function startForgotten({ db, enqueue }: SharedContext): Promise<void> {
  const unstarted = await findUnstartedPlans(db.query, unstartedAfterSeconds, plansATurn);
  if (unstarted.length === 0) return;
  await db.transaction(async (tx) => {
    for (const plan_id of unstarted) await enqueue(tx, 'execute', { plan_id }, { key: plan_id });
  });
}

/** Plans with steps that this back end can run, with or without jobs. Starts over after the last page. */
export function createSearch(
  { db, backend }: ExecutorContext,
  limit = plansATurn,
): () => Promise<string[]> {
  let after: string | null = null;
  return async () => {
    const offer = { operations: backend.operations(), capabilities: backend.capabilities };
    const found = await findPlansFor(db.query, offer, limit, after);
    after = found.length < limit ? null : (found.at(-1) ?? null);
    return found;
  };
}

export async function recover(context: SharedContext): Promise<void> {
  const { db, settings } = context;
  await forEachPlan(context, await findPlansWithLostLeases(db.query, plansATurn), recoverPlan);
  await freeOrphans(context);
  await startForgotten(context);
  await missDeadBackends(context);
  const stalled = await findStalledPlans(db.query, settings.stall_minutes, plansATurn);
  await forEachPlan(context, stalled, stallPlan);
}
