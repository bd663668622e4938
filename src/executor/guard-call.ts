// The checks between a claimed step and its call: the plan's scope and the approved seal.
import { recordAudit } from '#db/audit/audit.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import type { ClaimedStep } from '#db/sql/claim.ts';
import { CountersignError } from '#domain/errors.ts';
import { system } from '#domain/people/actor.ts';
import { doesMore, type Effect } from '#domain/tool.ts';
import { findChangedOperation } from '#plans/content/operation-digests.ts';
import { sealOf } from '#plans/content/seal.ts';
import { type CallDecision, decideCall } from '#tools/guard.ts';
import type { ExecutorContext } from './executor-context.ts';
import { askDatabase, type StepRun, toolsOf } from './executor-context.ts';

function decideStepCall(
  { guardedTools, guardMode }: Pick<ExecutorContext, 'guardedTools' | 'guardMode'>,
  plan: Pick<PlanRow, 'tools_required' | 'decided_by'>,
  operation: string,
  effect?: Effect,
): CallDecision {
  return decideCall({
    operation,
    scope: plan.tools_required,
    guarded: guardedTools,
    approvedBy: plan.decided_by,
    mode: guardMode,
    ...(effect === undefined ? {} : { effect }),
  });
}

/** Why the step doesn't match what was approved, or null if it does or predates seals. */
function findBrokenSeal(step: ClaimedStep): string | null {
  if (step.seal === null || step.seal === sealOf({ ...step, id: step.step_id })) return null;
  return `This step is not what was approved: its call changed afterwards. Nothing was called. Propose the plan again.`;
}

/** Why this worker's operation has a wider effect than the approved one, or null if it does not. */
function findWiderEffect(run: StepRun, operation: string): string | null {
  const { step } = run;
  const here = toolsOf(run).get(operation);
  if (here === undefined || !doesMore(here.effect, step.effect)) return null;
  return `This step was approved with ${operation} as ${step.effect}, and on this worker it is ${here.effect}. Nothing was called. Let all workers describe it alike, then propose the plan again.`;
}

/** Why this worker's operation differs from the one shown for approval, or null if it doesn't or that is unknown. */
function findOtherOperation(run: StepRun, operation: string): string | null {
  const change = findChangedOperation(run.plan.operation_digests, toolsOf(run), operation);
  return change === null ? null : `This step was not called: ${change}`;
}

/** Audits a call that was refused, or that would have been. */
export function recordDecision(
  run: StepRun,
  operation: string,
  action: 'call_refused' | 'call_would_be_refused',
  reason: string,
): Promise<void> {
  const { context, plan, step } = run;
  const data = { step: step.step_id, operation };
  const deed = { planId: plan.id, actor: system, action, version: plan.version, reason, data };
  return askDatabase(run, () => recordAudit(context.db.query, [deed]));
}

/**
 * Allows or refuses a step's call, and records it. Log mode only records calls out of scope.
 * A step or operation that differs from what was approved is refused in every mode.
 * @throws CountersignError `digest_mismatch`, `out_of_scope` or `guarded_operation`
 */
export async function guardCall(run: StepRun, operation: string): Promise<void> {
  const broken = findBrokenSeal(run.step) ?? findOtherOperation(run, operation);
  if (broken !== null) {
    await recordDecision(run, operation, 'call_refused', broken);
    throw new CountersignError('digest_mismatch', broken);
  }
  const wider = findWiderEffect(run, operation);
  if (wider !== null) {
    await recordDecision(run, operation, 'call_refused', wider);
    throw new CountersignError('out_of_scope', wider);
  }
  const decision = decideStepCall(run.context, run.plan, operation, run.step.effect);
  switch (decision.kind) {
    case 'allow':
      // Recorded when the step was claimed.
      return;
    case 'record':
      return recordDecision(run, operation, 'call_would_be_refused', decision.reason);
    case 'refuse':
      await recordDecision(run, operation, 'call_refused', decision.reason);
      throw new CountersignError(decision.code, decision.reason);
    default:
      return decision satisfies never;
  }
}
