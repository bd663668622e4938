// Taking ready steps of an executing plan, in one transaction with their leases and attempts.
import type { PlanRow } from '#store/plans.ts';
import { lockPlan } from '#store/plans.ts';
import { type ClaimedStep, claimSteps } from '#store/sql/claim.ts';
import { freeByStart } from '#store/sql/settle.ts';
import type { ExecutorContext } from './executor-context.ts';

export type Claim = {
  plan: PlanRow;
  steps: ClaimedStep[];
  /** The plan had more ready steps than were taken. */
  more: boolean;
};

/** Claims up to `limit` steps; none when the plan is not executing or is paused. */
export async function claimReady(
  context: ExecutorContext,
  planId: string,
  limit: number,
): Promise<Claim> {
  const { db, worker, settings } = context;
  return db.transaction(async (tx) => {
    const plan = await lockPlan(tx, planId);
    if (plan.status !== 'executing' || plan.paused_at !== null || plan.ready === 0) {
      return { plan, steps: [], more: false };
    }
    const steps = await claimSteps(tx, planId, worker, limit, settings.lease_seconds);
    if (steps.length > 0 && plan.has_start_edges) {
      await freeByStart(
        tx,
        planId,
        steps.map(({ position }) => position),
      );
    }
    const more = steps.length === limit && plan.ready > steps.length;
    // Another worker may join in; the key keeps this to one waiting slip a plan.
    if (more) await context.enqueue(tx, 'step', { plan_id: planId }, { key: planId });
    return { plan, steps, more };
  });
}
