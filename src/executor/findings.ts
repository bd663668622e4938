// What the executor finds wrong while it runs steps: what their outputs report, drift, many attempts, money that has run out.
import type { ClaimedStep } from '#db/sql/claim.ts';
import type { CountersignError } from '#domain/errors.ts';
import { system } from '#domain/people/actor.ts';
import type { NewFinding, RaisedFinding } from '#domain/plan/finding.ts';

const by = ({ step_id }: Pick<ClaimedStep, 'step_id'>): string => `step ${step_id}`;

/** The step that raised a finding. */
export const stepOf = (raisedBy: string): string => raisedBy.replace(/^step /, '');

/** The findings in the output of a call: about its step, unless they say otherwise. */
export function reportedBy(
  step: Pick<ClaimedStep, 'step_id' | 'attempt'>,
  findings: NewFinding[],
): RaisedFinding[] {
  return findings.map((finding, nth) => ({
    ...finding,
    ...(finding.step_id === undefined && finding.partition === undefined
      ? { step_id: step.step_id }
      : {}),
    key: `${by(step)} attempt ${step.attempt}: ${nth + 1}`,
    raisedBy: by(step),
  }));
}

/** From so many attempts on a step is told of, once. */
const attemptsTold = 3;

/** A step that is tried again; null: not often enough to be told. */
export function findRepeated(
  step: ClaimedStep,
  { message }: CountersignError,
  of: number,
): RaisedFinding | null {
  const next = step.tries + 1;
  if (next < attemptsTold) return null;
  return {
    severity: 'WARN',
    category: 'retries',
    message: `On attempt ${next} of ${of}: ${message}`,
    step_id: step.step_id,
    evidence: [],
    key: `retries ${step.step_id}`,
    raisedBy: system.id,
  };
}

/** The budget that a step's model call would break: told once each, since every step that needs a model fails of it. */
export function findNoMoney({ code, message, details }: CountersignError): RaisedFinding | null {
  if (code !== 'budget_exhausted' || typeof details.budget !== 'string') return null;
  return {
    severity: 'ERROR',
    category: 'budget',
    message,
    evidence: [],
    key: `budget ${details.budget}`,
    raisedBy: system.id,
  };
}

/** A target that has changed since the plan was approved; a person is asked beside it. */
export function findDrifted(step: ClaimedStep, message: string): RaisedFinding {
  return {
    severity: 'WARN',
    category: 'drift',
    message,
    step_id: step.step_id,
    evidence: [],
    key: `drift ${step.step_id}: ${message}`,
    raisedBy: system.id,
  };
}
