// What becomes of a step whose attempt failed: tried again by itself, or failed for good.
import { CountersignError } from '#contracts/errors.ts';
import { type Effect, operationName } from '#contracts/tool.ts';
import type { Outcome } from '#store/sql/settle.ts';
import { makeFailure, makeRetry } from './outcomes.ts';
import { decideRetry, ruleOf } from './retry-policy.ts';
import type { StepRun } from './step-run.ts';

/** @param effect what may have happened by now: `read` as long as nothing was called */
export function failOrRetry(run: StepRun, error: CountersignError, effect: Effect): Outcome {
  const { context, step } = run;
  const name = operationName(step.tool, step.operation);
  const rule = ruleOf(name, context.operations, context.settings);
  const again = decideRetry(error, effect, step.tries, rule, context.random);
  if (again !== null) return makeRetry(step, error, { ms: again.retryInMs, of: rule.max_attempts });
  if (error.passesAfterMs === null || step.tries < 2) return makeFailure(step, error);
  const message = `${error.message.replace(/\.$/, '')}; tried ${step.tries} times.`;
  return makeFailure(step, new CountersignError(error.code, message, { cause: error }));
}
