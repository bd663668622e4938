// All outcomes of a step, as they are settled.
import type { ClaimedStep } from '#db/sql/claim.ts';
import type { Outcome } from '#db/sql/settle.ts';
import type { CountersignError, ErrorCode } from '#domain/errors.ts';
import { nameCall } from '#domain/plan/call-words.ts';
import { conditionNotMet } from '#domain/plan/condition.ts';
import type { JsonObject } from '#domain/text.ts';
import { describeCall } from '#tools/describe-call.ts';
import type { Confirmation, Skip } from './prepare-arguments.ts';
import { askOutcome } from './recovery-rules.ts';

type Attempt = Pick<ClaimedStep, 'position' | 'attempt'>;

export function makeOutcome(
  step: Attempt,
  rest: Partial<Outcome> & Pick<Outcome, 'status'>,
): Outcome {
  return {
    position: step.position,
    attempt: step.attempt,
    summary: null,
    output: null,
    error: null,
    question: null,
    final_args: null,
    retry_in_ms: null,
    ...rest,
  };
}

export function makeFailure(step: Attempt, error: CountersignError): Outcome {
  return makeOutcome(step, {
    status: 'failed',
    error: { code: error.code, message: error.message },
  });
}

/** A condition fails, or an input was skipped. Steps that only wait for this one continue. */
export function makeSkipped(step: ClaimedStep, { reason, questions }: Skip): Outcome {
  const asked = questions === undefined ? {} : { questions };
  return makeOutcome(step, {
    status: 'skipped',
    summary: reason,
    error: { code: conditionNotMet, message: reason, ...asked },
  });
}

export function makeRetry(
  step: ClaimedStep,
  error: CountersignError,
  { ms, of }: { ms: number; of: number },
): Outcome {
  const retry = { attempt: step.tries + 1, of };
  return makeOutcome(step, {
    status: 'ready',
    retry_in_ms: ms,
    error: { code: error.code, message: error.message, retry },
  });
}

/** Cancelled with its plan, or handed back if the plan continues. */
export function reportNotCalled(step: ClaimedStep, why: string): Outcome {
  return makeOutcome(step, {
    status: 'cancelled',
    error: { code: 'cancelled', message: `Nothing was called: ${why}.` },
  });
}

/**
 * Stopped with its plan, lease or worker. Reads and idempotent operations may run again; a write may have taken effect, so a
 * person is asked.
 */
export function reportCutOff(
  step: Attempt & Pick<ClaimedStep, 'effect'>,
  message: string,
): Outcome {
  if (step.effect === 'write') return makeUnknown(step, 'cancelled', message);
  return makeOutcome(step, { status: 'cancelled', error: { code: 'cancelled', message } });
}

/** A write that may have taken effect: only a person can find out. */
export function makeUnknown(step: Attempt, code: ErrorCode, message: string): Outcome {
  return makeOutcome(step, {
    status: 'unknown',
    question: askOutcome(message),
    error: { code, message },
  });
}

export function askToConfirm(
  step: ClaimedStep,
  name: string,
  args: JsonObject,
  why: Confirmation,
): Outcome {
  return makeOutcome(step, {
    status: 'waiting',
    question: `Run this now? ${nameCall(describeCall(name, undefined, args))}`,
    final_args: args,
    output: why === 'each' ? { confirm: true, each: true } : { confirm: true },
  });
}
