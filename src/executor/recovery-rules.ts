// Decides what happens to a step whose worker was lost. Pure. "Nothing is repeated blindly" is enforced here.
import type { LostStep, Recovery } from '#db/sql/recover.ts';
import { operationName } from '#domain/tool.ts';

/** A step that takes its worker down this often is not retried automatically. */
const maxLosses = 5;

/**
 * A write that may have gone out is unknown: only a person can say. Everything else runs again, unless the plan has ended or
 * the step took down too many workers. @param planGoesOn also true for a stalled plan
 */
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

export function askOutcome(message: string): string {
  return `${message} It may have gone through; we can't tell.`;
}
