// Takes over another person's task.
import { recordAudit } from '#db/audit/audit.ts';
import type { Queryable, Transaction } from '#db/database.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { markTakenOver } from '#db/sql/settle-by-person.ts';
import { touchPlan } from '#db/steps/events.ts';
import { readStepsById } from '#db/steps/pages.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import { assigneeOf, takerOf } from '#domain/plan/human-task.ts';
import type { StepStatus } from '#domain/plan/plan.ts';
import type { Settlement } from '#domain/service.ts';
import { wakeWatchers } from '../lifecycle/lifecycle.ts';
import type { PlansContext } from '../plans-context.ts';
import { requireAsSeen, requireOutcomes, requireWaiting } from './require-named.ts';

/** All these, and nothing else is requested. */
export async function hasTakenOver(
  q: Queryable,
  planId: string,
  steps: NonNullable<Settlement['steps']>,
  actor: Actor,
): Promise<boolean> {
  if (Object.values(steps).some((resolution) => resolution !== 'take_over')) return false;
  const ids = Object.keys(steps);
  const found = await readStepsById(q, planId, ids);
  const taken = found.filter((step) => step.status === 'waiting' && takerOf(step) === actor.id);
  return taken.length === ids.length;
}

/**
 * Under the lock, by someone who may decide. The assignee may still answer.
 * @throws `invalid_request` without an assignee, and as for answers
 */
export async function takeOver(
  context: PlansContext,
  tx: Transaction,
  row: PlanRow,
  from: StepStatus[],
  settlement: Settlement,
  actor: Actor,
): Promise<void> {
  const { steps = {}, about } = settlement;
  const names = Object.keys(steps);
  requireOutcomes(settlement);
  if (Object.values(steps).some((resolution) => resolution !== 'take_over'))
    throw new CountersignError(
      'invalid_request',
      'Take over the steps first, then send their outcomes in another request.',
    );
  const found = await readStepsById(tx, row.id, names);
  await requireAsSeen(tx, row, found, about);
  await requireWaiting(tx, row, found, from, names);
  const open = found.find((step) => assigneeOf(step) === null);
  if (open !== undefined)
    throw new CountersignError(
      'invalid_request',
      `Step ${open.label} isn't assigned to one person: answer it directly.`,
      { details: { step: open.id } },
    );
  await markTakenOver(tx, row.id, names, actor.id);
  await recordAudit(
    tx,
    found.map((step) => ({
      planId: row.id,
      actor,
      action: 'take_over',
      version: row.version,
      data: { step: step.id, for: assigneeOf(step) },
    })),
  );
  await touchPlan(tx, row.id, 'taken_over', `by ${actor.id}`);
  await wakeWatchers(tx, context.enqueue, row.id);
}
