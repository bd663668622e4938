// Whether and when a failed call is retried. Pure.
import type { Outcome } from '#db/sql/settle.ts';
import { drawFraction, type Random } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import type { RaisedFinding } from '#domain/plan/finding.ts';
import type { Settings } from '#domain/settings.ts';
import { type Effect, operationName } from '#domain/tool.ts';
import { isNothingDone } from '#tools/failures.ts';
import type { StepRun } from './executor-context.ts';
import { findNoMoney, findRepeated } from './findings.ts';
import { makeFailure, makeRetry } from './outcomes.ts';

export type CallRule = {
  /** On top of the operation's inherent duration. */
  timeout_seconds: number;
  max_attempts: number;
  backoff_seconds: number;
  max_backoff_seconds: number;
};

/** If a server asks for a longer wait, the step fails. */
const longestWaitMs = 24 * 3600 * 1000;

export function ruleOf(
  operation: string,
  operations: Settings['operations'],
  {
    step_timeout_seconds,
    max_attempts,
    backoff_seconds,
    max_backoff_seconds,
  }: Settings['executor'],
): CallRule {
  const own = Object.hasOwn(operations, operation) ? operations[operation] : undefined;
  return {
    timeout_seconds: own?.timeout_seconds ?? step_timeout_seconds,
    max_attempts: own?.max_attempts ?? max_attempts,
    backoff_seconds: own?.backoff_seconds ?? backoff_seconds,
    max_backoff_seconds,
  };
}

/**
 * Exponential backoff with full jitter (M. Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015); Retry-After
 * (RFC 9110, 10.2.3) comes first. @param effect a write is retried only if nothing was done for certain
 */
export function decideRetry(
  error: CountersignError,
  effect: Effect,
  attempt: number,
  rule: Omit<CallRule, 'timeout_seconds'>,
  random: Random,
): { retryInMs: number } | null {
  const { passesAfterMs } = error;
  if (passesAfterMs === null || passesAfterMs > longestWaitMs) return null;
  if (attempt >= rule.max_attempts) return null;
  if (effect === 'write' && !isNothingDone(error)) return null;
  const ceiling = Math.min(rule.backoff_seconds * 2 ** (attempt - 1), rule.max_backoff_seconds);
  return { retryInMs: passesAfterMs + Math.round(drawFraction(random) * ceiling * 1000) };
}

function withFinding(outcome: Outcome, finding: RaisedFinding | null): Outcome {
  return finding === null ? outcome : { ...outcome, findings: [finding] };
}

/** @param effect `read` until something was called */
export function failOrRetry(run: StepRun, error: CountersignError, effect: Effect): Outcome {
  const { context, step } = run;
  const name = operationName(step.tool, step.operation);
  const rule = ruleOf(name, context.operations, context.settings);
  const again = decideRetry(error, effect, step.tries, rule, context.random);
  if (again !== null) {
    const of = rule.max_attempts;
    const retry = makeRetry(step, error, { ms: again.retryInMs, of });
    return withFinding(retry, findRepeated(step, error, of));
  }
  const noMoney = findNoMoney(error);
  if (error.passesAfterMs === null || step.tries < 2)
    return withFinding(makeFailure(step, error), noMoney);
  const message = `${error.message.replace(/\.$/, '')}; tried ${step.tries} times.`;
  const failure = makeFailure(step, new CountersignError(error.code, message, { cause: error }));
  return withFinding(failure, noMoney);
}
