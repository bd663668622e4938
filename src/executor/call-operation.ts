// One call: checked, marked if it must not be repeated, limited in time.
import { recordAudit } from '#db/audit/audit.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import type { ClaimedStep } from '#db/sql/claim.ts';
import type { Outcome } from '#db/sql/settle.ts';
import { countSucceeded } from '#db/steps/steps.ts';
import { passCrashPoint } from '#domain/crash-points.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { system } from '#domain/people/actor.ts';
import type { JsonObject } from '#domain/text.ts';
import { doesMore, type Effect, type Operation, type ToolContext } from '#domain/tool.ts';
import { findChangedOperation, sealOf } from '#plans/content/digests.ts';
import { isNothingDone, isOutcomeUnknown, outcomeUnknown } from '#tools/failures.ts';
import { type CallDecision, decideCall } from '#tools/guard.ts';
import { refuseOnceLate, throwIfLate } from '#tools/late-call.ts';
import { payOnPlan } from './budget.ts';
import { type CallbackOffer, offerCallback } from './callbacks.ts';
import {
  askDatabase,
  type ExecutorContext,
  type Permit,
  type StepRun,
  toolsOf,
} from './executor-context.ts';
import { reportedBy } from './findings.ts';
import { makeLater } from './later.ts';
import { makeOutcome, makeUnknown, reportCutOff, reportNotCalled } from './outcomes.ts';
import { failOrRetry, ruleOf } from './retry-policy.ts';

/** The same for every attempt until the step succeeds. */
async function nameCall(run: StepRun): Promise<string> {
  const { context, plan, step } = run;
  // Without the version, so that a patch between two attempts keeps the key.
  const name = `${plan.id}:${step.step_id}`;
  if (step.attempt < 2) return name;
  const done = await askDatabase(run, () =>
    countSucceeded(context.db.query, plan.id, step.position),
  );
  return done === 0 ? name : `${name}:${done + 1}`;
}

function toolContext(run: StepRun, idempotencyKey: string, callback: CallbackOffer): ToolContext {
  const { context, plan, step, signal } = run;
  return {
    planId: plan.id,
    stepId: step.step_id,
    idempotencyKey,
    user: plan.requester,
    conversation: plan.conversation,
    timezone: context.timezone,
    model: plan.executor_model,
    pay: payOnPlan(run),
    callbackUrl: callback.url,
    signal,
  };
}

function abandonOn<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

export async function callOperation(
  run: StepRun,
  operation: Operation,
  args: JsonObject,
  waited: boolean,
): Promise<Outcome> {
  const { context, step, lease } = run;
  if (!run.mayBegin()) return reportNotCalled(step, 'this worker stops');
  const callback = offerCallback(run);
  const settings = toolContext(run, await nameCall(run), callback);
  let permit: Permit | null = null;
  if (step.effect === 'write' || waited) {
    permit = await run.mark(lease);
    if (permit === null)
      return reportNotCalled(step, 'its lease ran out, or its plan was paused or stopped');
    passCrashPoint('before_call');
  }
  if (run.signal.aborted) return reportNotCalled(step, errorMessage(run.signal.reason));
  const expected = operation.expectedSeconds?.(args) ?? 0;
  const rule = ruleOf(operation.name, context.operations, context.settings);
  const seconds = rule.timeout_seconds + expected;
  // Lazily: capturing a stack trace is the most expensive thing here.
  let timeout: DOMException | undefined;
  const timer = setTimeout(() => {
    timeout = new DOMException('', 'TimeoutError');
    run.cutOff(timeout);
  }, seconds * 1000);
  const isLate = () => permit?.isFresh() === false;
  try {
    const result = await refuseOnceLate(isLate, () => {
      throwIfLate();
      return abandonOn(operation.call(args, settings), run.signal);
    });
    passCrashPoint('after_call');
    if ('waitFor' in result) {
      return makeOutcome(step, {
        status: 'waiting',
        question: result.question,
        output: { form: result.form, assignee: result.assignee },
      });
    }
    if ('later' in result) {
      if (operation.checkLater === undefined && !callback.isMade())
        throw new CountersignError(
          'tool_failed',
          `${operation.name} returned \`later\`, but has no \`check\` and never asked for a callback URL.`,
          { details: outcomeUnknown },
        );
      return makeLater(step, result, context.worker);
    }
    const { summary, data, findings = [] } = result;
    const reported = findings.length === 0 ? {} : { findings: reportedBy(step, findings) };
    return makeOutcome(step, { status: 'succeeded', summary, output: data, ...reported });
  } catch (error) {
    if (isLate() && isNothingDone(error))
      return reportNotCalled(step, 'this worker stood still, and its lease ran out meanwhile');
    if (timeout !== undefined && run.signal.reason === timeout) {
      const message = `${operation.name} did not answer within ${seconds} s.`;
      if (step.effect === 'write') return makeUnknown(step, 'timed_out', message);
      const timedOut = new CountersignError('timed_out', message, { passesAfterMs: 0 });
      return failOrRetry(run, timedOut, step.effect);
    }
    if (run.signal.aborted) {
      return reportCutOff(
        step,
        `${operation.name} was stopped: ${errorMessage(run.signal.reason)}.`,
      );
    }
    const failure =
      error instanceof CountersignError
        ? error
        : new CountersignError('tool_failed', errorMessage(error));
    // The server reconnected after the guard with a different tool.
    if (failure.code === 'digest_mismatch') {
      await recordDecision(run, operation.name, 'call_refused', failure.message);
    }
    if (step.effect === 'write' && isOutcomeUnknown(failure)) {
      return makeUnknown(step, failure.code, failure.message);
    }
    return failOrRetry(run, failure, step.effect);
  } finally {
    clearTimeout(timer);
  }
}

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

/** Null if intact, or from before seals. */
function findBrokenSeal(step: ClaimedStep): string | null {
  if (step.seal === null || step.seal === sealOf({ ...step, id: step.step_id })) return null;
  return `This step is not what was approved: its call changed afterwards. Nothing was called. Propose the plan again.`;
}

function findWiderEffect(run: StepRun, operation: string): string | null {
  const { step } = run;
  const here = toolsOf(run).get(operation);
  if (here === undefined || !doesMore(here.effect, step.effect)) return null;
  return `This step was approved with ${operation} as ${step.effect}, and on this worker it is ${here.effect}. Nothing was called. Let all workers describe it alike, then propose the plan again.`;
}

function findOtherOperation(run: StepRun, operation: string): string | null {
  const change = findChangedOperation(run.plan.operation_digests, toolsOf(run), operation);
  return change === null ? null : `This step was not called: ${change}`;
}

function recordDecision(
  run: StepRun,
  operation: string,
  action: 'call_refused' | 'call_would_be_refused',
  reason: string,
): Promise<void> {
  const { context, plan, step } = run;
  const data = { step: step.step_id, operation };
  const auditEntry = {
    planId: plan.id,
    actor: system,
    action,
    version: plan.version,
    reason,
    data,
  };
  return askDatabase(run, () => recordAudit(context.db.query, [auditEntry]));
}

/**
 * Log mode lets calls out of scope pass, but nothing that differs from the approved.
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
