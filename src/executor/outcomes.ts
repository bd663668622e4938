// All outcomes of a step, as they are settled.
import type { ClaimedStep } from '#db/sql/claim.ts';
import type { Outcome } from '#db/sql/settle.ts';
import type { CountersignError, ErrorCode } from '#domain/errors.ts';
import { conditionNotMet } from '#domain/plan/condition.ts';
import type { JsonObject } from '#domain/text.ts';
import type { Skip } from './conditions.ts';
import type { Confirmation } from './prepare-arguments.ts';
import { askOutcome } from './recovery-rules.ts';

/** What of a step its outcomes need. */
type Attempt = Pick<ClaimedStep, 'position' | 'attempt'>;

/** An outcome of which only `rest` is known. */
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

/** Its condition does not hold, or what it needs was skipped for such a reason; steps that only wait for it go on. */
export function makeSkipped(step: ClaimedStep, { reason, questions }: Skip): Outcome {
  const asked = questions === undefined ? {} : { questions };
  return makeOutcome(step, {
    status: 'skipped',
    summary: reason,
    error: { code: conditionNotMet, message: reason, ...asked },
  });
}

/** A failure that passes: the attempt failed, and the step is ready again in `ms`. */
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

/** Nothing was called: the step is cancelled with its plan, or handed back if the plan goes on. */
export function reportNotCalled(step: ClaimedStep, why: string): Outcome {
  return makeOutcome(step, {
    status: 'cancelled',
    error: { code: 'cancelled', message: `Nothing was called: ${why}.` },
  });
}

/**
 * What became of a call that was stopped with its plan, its lease or its worker. A read or an idempotent operation may
 * be made again; a write may have taken effect, so its outcome is unknown and a person is asked.
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

/** A call that a person sees before it is made. What they are shown is drawn from the step's final arguments. */
export function askToConfirm(
  step: ClaimedStep,
  name: string,
  args: JsonObject,
  why: Confirmation,
): Outcome {
  return makeOutcome(step, {
    status: 'waiting',
    question: `Run ${name} with the values on the plan’s card?`,
    final_args: args,
    output: why === 'each' ? { confirm: true, each: true } : { confirm: true },
  });
}
