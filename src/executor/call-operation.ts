// Makes one call: marked first if it must not be repeated, time-limited, abandoned when its lease or plan is gone.
import type { Outcome } from '#db/sql/settle.ts';
import { countSucceeded } from '#db/steps/steps.ts';
import { passCrashPoint } from '#domain/crash-points.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import type { JsonObject } from '#domain/text.ts';
import type { Operation, ToolContext } from '#domain/tool.ts';
import { isOutcomeUnknown, outcomeUnknown } from '#tools/failures.ts';
import { payOnPlan } from './budget.ts';
import { type CallbackOffer, offerCallback } from './callbacks.ts';
import { askDatabase, type Permit, type StepRun } from './executor-context.ts';
import { reportedBy } from './findings.ts';
import { recordDecision } from './guard-call.ts';
import { makeLater } from './later.ts';
import { makeOutcome, makeUnknown, reportCutOff, reportNotCalled } from './outcomes.ts';
import { failOrRetry, ruleOf } from './retry-policy.ts';

/** An idempotency key: the same for every attempt until the step succeeds. */
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

/** Settles with `work`, or rejects as soon as `signal` aborts. */
function abandonOn<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/**
 * Never throws: every ending is an outcome.
 * @param waited whether the plan may have been paused since the claim
 */
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
  // Created lazily: capturing a stack trace is the most expensive thing here.
  let timeout: DOMException | undefined;
  const timer = setTimeout(() => {
    timeout = new DOMException('', 'TimeoutError');
    run.cutOff(timeout);
  }, seconds * 1000);
  try {
    // Nothing may run between this check and the call.
    if (permit?.isFresh() === false)
      return reportNotCalled(step, 'this worker stood still, and its lease ran out meanwhile');
    const result = await abandonOn(operation.call(args, settings), run.signal);
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
    // The server reconnected after the guard and now offers a different tool under this name.
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
