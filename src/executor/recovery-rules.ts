// What becomes of a step whose worker was lost. Pure: the rule that nothing is repeated blindly stands here.
import type { Effect } from '#contracts/tool.ts';

export type LostStep = {
  position: number;
  step_id: string;
  tool: string;
  operation: string;
  target: string | null;
  effect: Effect;
  attempt: number;
  /** How many workers this step has lost, the present one included. */
  losses: number;
  /** How far the attempt got: `started` (claimed) or `calling` (the call may have gone out). */
  attempt_status: string;
};

export type Fate = {
  position: number;
  attempt: number;
  status: 'ready' | 'unknown' | 'failed' | 'cancelled';
  attempt_status: 'lost' | 'unknown';
  question: string | null;
  error: { code: string; message: string } | null;
};

/** A step that takes its worker down this often is not tried again by itself. */
const lossesAtMost = 5;

/**
 * A write that may have gone out is unknown: only a person can say. Everything else runs again, unless the plan
 * is over or the step has taken down too many workers.
 * @param planGoesOn false: the plan is over; a stalled one still can go on
 */
export function decideFate(step: LostStep, planGoesOn: boolean): Fate {
  const base = { position: step.position, attempt: step.attempt };
  const name = `${step.tool}_${step.operation}`;
  const what = step.target === null ? name : `${name} → ${step.target}`;
  if (step.effect === 'write' && step.attempt_status === 'calling') {
    const message = `The worker stopped while ${what} was under way; its answer never came.`;
    return {
      ...base,
      status: planGoesOn ? 'unknown' : 'cancelled',
      attempt_status: 'unknown',
      question: `${message} It may or may not have taken effect.`,
      error: { code: 'lease_lost', message },
    };
  }
  const fate = { ...base, attempt_status: 'lost' as const, question: null };
  if (!planGoesOn) return { ...fate, status: 'cancelled', error: null };
  if (step.losses >= lossesAtMost) {
    const message = `${what} was given up: its worker stopped ${step.losses} times while running it.`;
    return { ...fate, status: 'failed', error: { code: 'lease_lost', message } };
  }
  return { ...fate, status: 'ready', error: null };
}
