// Puts a version back up for approval if a change yielded none.
import { and, eq } from 'drizzle-orm';
import type { Transaction } from '#db/database.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { approvals, audit, plans } from '#db/schema.ts';
import { touchPlan } from '#db/steps/events.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { Decision } from '#domain/service.ts';
import { transition } from '../lifecycle/lifecycle.ts';
import { nextStatus } from '../lifecycle/lifecycle-table.ts';
import type { PlansContext } from '../plans-context.ts';
import { checkRepeated, managedPlan, type PlanRuling, requireVersion } from './repeated.ts';

type By = { actor: Actor; reason: string };

/** Each approver is asked again. */
async function keepVersion(
  { enqueue }: Pick<PlansContext, 'enqueue'>,
  tx: Transaction,
  row: PlanRow,
  by: By,
): Promise<PlanRow> {
  await tx
    .delete(approvals)
    .where(and(eq(approvals.plan_id, row.id), eq(approvals.version, row.version)));
  const set = { revising: false, decided_by: null, decided_at: null };
  return transition(tx, enqueue, row, 'keep', by, set);
}

/** Not just sent back for changes. */
async function wasRejected(tx: Transaction, { id, version }: PlanRow): Promise<boolean> {
  const rejected = and(
    eq(audit.plan_id, id),
    eq(audit.version, version),
    eq(audit.action, 'reject'),
  );
  return (await tx.select({ id: audit.id }).from(audit).where(rejected).limit(1)).length > 0;
}

/** Under the lock. @returns whether it waits again; a rejected version doesn't */
export async function giveBack(
  context: Pick<PlansContext, 'enqueue'>,
  tx: Transaction,
  row: PlanRow,
  by: By,
): Promise<boolean> {
  if (row.status !== 'rejected' || !row.revising) return false;
  if (await wasRejected(tx, row)) {
    await tx.update(plans).set({ revising: false }).where(eq(plans.id, row.id));
    await touchPlan(tx, row.id, 'revision_failed', by.reason);
    return false;
  }
  await keepVersion(context, tx, row, by);
  return true;
}

const takenBack = 'The changes were withdrawn.';

export function takingBack(
  context: PlansContext,
  id: string,
  { version }: Decision,
  actor: Actor,
): PlanRuling {
  return {
    ...managedPlan(context, id, actor),
    isRepeated: checkRepeated(
      id,
      'keep',
      actor,
      { version, reason: takenBack },
      ({ revising, status }) => !revising && status === 'proposed',
    ),
    async requireCurrent(_, row) {
      requireVersion(row, version);
      // Otherwise `resume` decides.
      if (!row.revising) nextStatus(row.status, 'resume');
    },
    apply: (tx, row) => keepVersion(context, tx, row, { actor, reason: takenBack }),
  };
}
