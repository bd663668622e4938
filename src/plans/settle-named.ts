// A person's word about steps: what became of a call nobody recorded, of a task of theirs, of a guarded call that asks again.
import { and, eq, inArray, isNotNull } from 'drizzle-orm';
import type { Actor } from '#contracts/actor.ts';
import { CountersignError } from '#contracts/errors.ts';
import type { StepStatus } from '#contracts/plan.ts';
import type { Settlement } from '#contracts/service.ts';
import { recordDeeds } from '#store/audit.ts';
import type { PlanProgress } from '#store/change-steps.ts';
import type { Transaction } from '#store/database.ts';
import type { PlanRow } from '#store/plans.ts';
import { planSteps } from '#store/schema.ts';
import { skipDependents } from '#store/sql/settle.ts';
import { settleByPerson, type Verdict } from '#store/sql/settle-by-person.ts';
import { requireApprover } from './authority.ts';

type Fates = NonNullable<Settlement['steps']>;

function verdictsOf(steps: Fates, actor: Actor, answer: string | undefined): Verdict[] {
  return Object.entries(steps).map(([step_id, fate]): Verdict => {
    switch (fate) {
      case 'retry':
        return { step_id, status: 'ready', summary: null, output: null, error: null };
      case 'done':
        return {
          step_id,
          status: 'succeeded',
          summary: answer ?? `Marked done by ${actor.id}`,
          output: { answer: answer ?? null, by: actor.id },
          error: null,
        };
      case 'failed':
        return {
          step_id,
          status: 'failed',
          summary: null,
          output: null,
          error: { code: 'tool_failed', message: answer ?? `${actor.id} marked it failed` },
        };
      default:
        return fate satisfies never;
    }
  });
}

/** Whether one of the steps is a guarded call that asks again with its final values: an approval of its own. */
async function asksToConfirm(tx: Transaction, planId: string, ids: string[]): Promise<boolean> {
  const found = await tx
    .select({ id: planSteps.step_id })
    .from(planSteps)
    .where(
      and(
        eq(planSteps.plan_id, planId),
        eq(planSteps.status, 'waiting'),
        isNotNull(planSteps.final_args),
        inArray(planSteps.step_id, ids),
      ),
    )
    .limit(1);
  return found.length > 0;
}

/**
 * Settles the steps that `settlement` names, if they are in one of the statuses `from`. The caller holds the plan's lock.
 * @returns the plan's counters after it, or null when no step was named
 * @throws `unknown_step` when one of them is not waiting for a person
 */
export async function settleNamed(
  tx: Transaction,
  row: PlanRow,
  from: StepStatus[],
  settlement: Settlement,
  actor: Actor,
  approvers: string[],
): Promise<PlanProgress | null> {
  const steps = settlement.steps ?? {};
  const names = Object.keys(steps);
  if (names.length === 0) return null;
  if (await asksToConfirm(tx, row.id, names)) requireApprover(row, approvers, actor);
  const { moved, failed, progress } = await settleByPerson(
    tx,
    row.id,
    from,
    verdictsOf(steps, actor, settlement.answer),
  );
  const left = names.filter((id) => !moved.includes(id));
  if (left.length > 0) {
    throw new CountersignError(
      'unknown_step',
      `Nothing is to be decided about step ${left.slice(0, 10).join(', ')}: it is not waiting for a person.`,
      { details: { steps: left } },
    );
  }
  await recordDeeds(
    tx,
    Object.entries(steps).map(([step, fate]) => ({
      planId: row.id,
      actor,
      action: `settle_${fate}`,
      version: row.version,
      data: { step, answer: settlement.answer ?? null },
    })),
  );
  const skipped = failed.length === 0 ? null : await skipDependents(tx, row.id, failed);
  return skipped ?? progress;
}
