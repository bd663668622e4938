// Receives findings from people and monitors.
import type { Transaction } from '#db/database.ts';
import { findByKey, toFinding } from '#db/plans/findings.ts';
import { lockPlan } from '#db/plans/plans.ts';
import { hasSteps } from '#db/sql/impact.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { Finding } from '#domain/plan/finding.ts';
import type { ReportedFinding } from '#domain/service.ts';
import { requireManager, requirePerson } from '../authority/authority.ts';
import { statusWords } from '../lifecycle/lifecycle-table.ts';
import type { PlansContext } from '../plans-context.ts';
import { isBlocking, raiseFindings } from './raise.ts';

/** @throws `unknown_step`, also for an empty partition */
async function requireSteps(
  tx: Transaction,
  planId: string,
  { step_id, partition }: ReportedFinding,
): Promise<void> {
  if (step_id !== undefined && !(await hasSteps(tx, planId, { ids: [step_id] })))
    throw new CountersignError('unknown_step', `This plan has no step ${step_id}.`);
  if (partition !== undefined && !(await hasSteps(tx, planId, { partition })))
    throw new CountersignError(
      'unknown_step',
      `This plan has no step in the partition ${partition}.`,
    );
}

/**
 * Only deciders can hold steps back.
 * @returns the existing one for the same person and key
 * @throws `plan_not_found`, `not_allowed`, `unknown_step`, `invalid_transition`
 */
export async function receiveFinding(
  context: PlansContext,
  tx: Transaction,
  planId: string,
  reported: ReportedFinding,
  actor: Actor,
): Promise<Finding> {
  const row = await lockPlan(tx, planId);
  requirePerson(actor);
  if (isBlocking(reported.severity)) await requireManager(tx, context, row, actor);
  if (row.status === 'cancelled' || row.status === 'rejected') {
    throw new CountersignError(
      'invalid_transition',
      `This plan is ${statusWords[row.status]}, so none of its steps will run.`,
      { details: { status: row.status } },
    );
  }
  await requireSteps(tx, planId, reported);
  const { key: givenKey, ...finding } = reported;
  const key = `by ${actor.id}: ${givenKey ?? context.random.hex(8)}`;
  await raiseFindings(context, tx, row, [{ ...finding, key, raisedBy: actor.id }], actor);
  const stored = await findByKey(tx, planId, key);
  if (stored === null) throw new Error(`receiveFinding: ${planId} has not kept ${key}`);
  return toFinding(stored);
}
