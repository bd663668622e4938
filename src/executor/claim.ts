// Taking ready steps of an executing plan, in one transaction with their leases, attempts and the slips for what comes later.
import type { Transaction } from '#store/database.ts';
import { lockPlan, type PlanRow } from '#store/plans.ts';
import { type ClaimedStep, claimSteps, readNextAvailable } from '#store/sql/claim.ts';
import { freeByStart } from '#store/sql/settle.ts';
import type { ExecutorContext } from './executor-context.ts';

export type Claim = {
  plan: PlanRow;
  steps: ClaimedStep[];
  /** The plan may have more steps that can be claimed now. */
  more: boolean;
};

/** Ready steps whose time has not come get a slip for that time. */
async function scheduleLater(
  context: ExecutorContext,
  tx: Transaction,
  planId: string,
): Promise<void> {
  const at = await readNextAvailable(tx, planId);
  if (at === null) return;
  // A millisecond more than what was cut off, so that the slip never comes too early.
  const startAfter = new Date(new Date(at).getTime() + 1);
  await context.enqueue(tx, 'step', { plan_id: planId }, { key: `${planId}@${at}`, startAfter });
}

/**
 * Claims up to `limit` steps; none when the plan is not executing or is paused.
 * @param invite leave a slip for another worker when there is more than this one takes
 */
export async function claimReady(
  context: ExecutorContext,
  planId: string,
  limit: number,
  invite = false,
): Promise<Claim> {
  const { db, worker, settings } = context;
  return db.transaction(async (tx) => {
    const plan = await lockPlan(tx, planId);
    if (plan.status !== 'executing' || plan.paused_at !== null || plan.ready === 0) {
      return { plan, steps: [], more: false };
    }
    const steps = await claimSteps(tx, planId, worker, limit, settings.lease_seconds);
    // A step starts once, whatever becomes of its attempts: later ones meet no start edge again.
    const started = steps.filter(({ attempt }) => attempt === 1).map(({ position }) => position);
    const freed =
      plan.has_start_edges && started.length > 0 ? await freeByStart(tx, planId, started) : null;
    const full = steps.length === limit;
    if (!full) await scheduleLater(context, tx, planId);
    // The key keeps invitations to one waiting slip a plan.
    if (full && invite) await context.enqueue(tx, 'step', { plan_id: planId }, { key: planId });
    return { plan, steps, more: full || freed !== null };
  });
}
