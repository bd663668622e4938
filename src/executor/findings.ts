// Findings raised while steps run.
import type { ClaimedStep } from '#db/sql/claim.ts';
import type { CountersignError } from '#domain/errors.ts';
import { system } from '#domain/people/actor.ts';
import type { NewFinding, RaisedFinding } from '#domain/plan/finding.ts';

const by = ({ step_id }: Pick<ClaimedStep, 'step_id'>): string => `step ${step_id}`;

export const stepOf = (raisedBy: string): string => raisedBy.replace(/^step /, '');

/** About the reporting step unless they say otherwise. */
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

const minReportedAttempts = 3;

export function findRepeated(
  step: ClaimedStep,
  { message }: CountersignError,
  of: number,
): RaisedFinding | null {
  const next = step.tries + 1;
  if (next < minReportedAttempts) return null;
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

/** Once, because every step that needs a model fails on it. */
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
