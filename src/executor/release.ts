// Returns what steps reserved to the resource pools, and wakes the plans waiting for it.
import type { Transaction } from '#db/database.ts';
import { notify } from '#db/notify.ts';
import type { PlanRow } from '#db/plans.ts';
import { findWaitingPlans, releaseReservations } from '#db/sql/resources.ts';

/** Plans that are woken at once; the others are found by their workers' rounds. */
const plansWoken = 8;

/** The caller holds the plan's lock; `positions` have just stopped running. */
export async function releaseResources(
  tx: Transaction,
  plan: Pick<PlanRow, 'id' | 'pools'>,
  positions: number[],
): Promise<void> {
  if (plan.pools.length === 0) return;
  const pools = await releaseReservations(tx, plan.id, plan.pools, positions);
  if (pools.length === 0) return;
  for (const id of await findWaitingPlans(tx, pools, plan.id, plansWoken)) {
    await notify(tx, `work:${id}`);
  }
}
