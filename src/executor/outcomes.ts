// Every way a step can end, as what is settled.
import type { CountersignError, ErrorCode } from '#contracts/errors.ts';
import type { JsonObject } from '#contracts/text.ts';
import type { ClaimedStep } from '#store/sql/claim.ts';
import type { Outcome } from '#store/sql/settle.ts';
import { askFate } from './recovery-rules.ts';

/** An outcome of which only `rest` is known. */
export function makeOutcome(
  step: ClaimedStep,
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
    ...rest,
  };
}

export function makeFailure(step: ClaimedStep, error: CountersignError): Outcome {
  return makeOutcome(step, {
    status: 'failed',
    error: { code: error.code, message: error.message },
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
 * What became of a call that was cut off. A read or an idempotent operation simply failed; a write may have taken
 * effect, so its outcome is unknown and a person is asked.
 */
export function reportCutOff(
  step: ClaimedStep,
  why: 'timed_out' | 'cancelled',
  message: string,
): Outcome {
  if (step.effect !== 'write') {
    const status = why === 'cancelled' ? 'cancelled' : 'failed';
    return makeOutcome(step, { status, error: { code: why, message } });
  }
  return makeUnknown(step, why, message);
}

/** A write that may have taken effect: only a person can find out. */
export function makeUnknown(step: ClaimedStep, code: ErrorCode, message: string): Outcome {
  return makeOutcome(step, {
    status: 'unknown',
    question: askFate(message),
    error: { code, message },
  });
}

/** A guarded call whose values were decided just now: a person sees them before it is made. */
export function askToConfirm(step: ClaimedStep, name: string, args: JsonObject): Outcome {
  const values = Object.entries(args)
    .map(([key, value]) => `${key} = ${JSON.stringify(value)}`)
    .join(', ');
  return makeOutcome(step, {
    status: 'waiting',
    question: `Run ${name} with ${values}?`,
    final_args: args,
    output: { confirm: true },
  });
}
