// Checks that named steps are unchanged and wait for a person.
import type { Transaction } from '#db/database.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Step, StepStatus } from '#domain/plan/plan.ts';
import type { Settlement } from '#domain/service.ts';
import { explainLateAnswer } from './stale-answers.ts';

/** @throws `invalid_request` for an answer without an outcome */
export function requireOutcomes({ steps = {}, answers = {}, about = {} }: Settlement): void {
  const loose = Object.keys({ ...answers, ...about }).filter((id) => !Object.hasOwn(steps, id));
  const [first] = loose;
  if (first === undefined) return;
  throw new CountersignError(
    'invalid_request',
    `You answered step ${first} without saying its outcome. Add it to steps: { ${JSON.stringify(first)}: "done" }.`,
    { details: { steps: loose } },
  );
}

/** True without that information. */
function isAsSeen({ id, attempt, status }: Step, about: Settlement['about']): boolean {
  const seen = about?.[id];
  return seen === undefined || (seen.attempt === attempt && seen.status === status);
}

/** @throws `already_decided` */
export async function requireAsSeen(
  tx: Transaction,
  row: PlanRow,
  found: Step[],
  about: Settlement['about'],
): Promise<void> {
  const [first, ...others] = found.filter((step) => !isAsSeen(step, about));
  if (first === undefined) return;
  const steps = [first, ...others].map(({ id }) => id);
  await explainLateAnswer(tx, row, steps);
  const { id, label, attempt, status } = first;
  throw new CountersignError(
    'already_decided',
    `Step ${label} has changed since you looked: it is now ${status}. Your answer was not stored.`,
    { details: { step: id, attempt, status } },
  );
}

/** @throws `unknown_step`, with the outcome meanwhile */
export async function requireWaiting(
  tx: Transaction,
  row: PlanRow,
  found: Step[],
  from: StepStatus[],
  names: string[],
): Promise<void> {
  const open = new Set(found.filter(({ status }) => from.includes(status)).map(({ id }) => id));
  const left = names.filter((id) => !open.has(id));
  if (left.length === 0) return;
  await explainLateAnswer(tx, row, left);
  const labels = new Map(found.map(({ id, label }) => [id, label]));
  const named = left.slice(0, 10).map((id) => labels.get(id) ?? id);
  throw new CountersignError(
    'unknown_step',
    `There is nothing to decide about step ${named.join(', ')}: it isn't waiting for a person.`,
    { details: { steps: left } },
  );
}
