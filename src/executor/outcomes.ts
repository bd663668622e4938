// A step's possible outcomes. After a lost worker nothing is repeated blindly.
import type { ClaimedStep } from '#db/sql/claim.ts';
import type { LostStep, Recovery } from '#db/sql/recover.ts';
import type { Outcome } from '#db/sql/settle.ts';
import type { CountersignError, ErrorCode } from '#domain/errors.ts';
import { nameCall } from '#domain/plan/call-words.ts';
import { conditionNotMet } from '#domain/plan/condition.ts';
import type { JsonObject } from '#domain/text.ts';
import { operationName } from '#domain/tool.ts';
import { describeCall } from '#tools/describe-call.ts';
import type { Confirmation, Skip } from './prepare-arguments.ts';

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

/** A condition fails or an input was skipped. Steps that only wait continue. */
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

/** Reads and idempotent operations may run again; a write may have taken effect, so a person is asked. */
export function reportCutOff(
  step: Attempt & Pick<ClaimedStep, 'effect'>,
  message: string,
): Outcome {
  if (step.effect === 'write') return makeUnknown(step, 'cancelled', message);
  return makeOutcome(step, { status: 'cancelled', error: { code: 'cancelled', message } });
}

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

/** A step that takes down more workers is not retried automatically. */
const maxLosses = 5;

/** A write that may have gone out is unknown. Others run again, unless the plan ended or the step lost too many workers. */
export function decideRecovery(step: LostStep, planGoesOn: boolean): Recovery {
  const base = { position: step.position, attempt: step.attempt };
  const name = operationName(step.tool, step.operation);
  const what = step.target === null ? name : `${name} → ${step.target}`;
  if (step.effect === 'write' && step.called) {
    const message = `The worker stopped while ${what} was running, and no result came back.`;
    return {
      ...base,
      status: planGoesOn ? 'unknown' : 'cancelled',
      attempt_status: 'unknown',
      question: askOutcome(message),
      error: { code: 'lease_lost', message },
    };
  }
  const lost = { ...base, attempt_status: 'lost' as const, question: null };
  if (!planGoesOn) return { ...lost, status: 'cancelled', error: null };
  if (step.losses >= maxLosses) {
    const message = `${what} was abandoned: its worker stopped ${step.losses} times while running it.`;
    return { ...lost, status: 'failed', error: { code: 'lease_lost', message } };
  }
  return { ...lost, status: 'ready', error: null };
}

function askOutcome(message: string): string {
  return `${message} It may have gone through; we can't tell.`;
}
