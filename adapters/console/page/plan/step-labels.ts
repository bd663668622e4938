// Labels of steps (2a, 2b), as on the card.
import type { PlanCardFacts } from '#domain/chat/card.ts';
import type { Step } from '#domain/plan/plan.ts';
import { labelSteps, maxNumbered } from '#domain/plan/step-numbers.ts';

/** Keyed by step ID, in label order. */
export type StepLabels = ReadonlyMap<string, string>;

type Known = { facts: Pick<PlanCardFacts, 'plan' | 'steps'> };
type Steps = { steps: Step[] } | null;
type Seen = { drawn: Steps; list: Steps; opened?: Steps };

/** Cards label small plans; of large ones, steps are labelled by position. */
export function labelKnownSteps({ facts }: Known, { drawn, list, opened }: Seen): StepLabels {
  const { total_steps: total } = facts.plan;
  if (total <= maxNumbered) return labelSteps(facts.steps, total);
  return labelSteps(
    [...facts.steps, ...(drawn?.steps ?? []), ...(list?.steps ?? []), ...(opened?.steps ?? [])],
    total,
  );
}

export function sortByLabel<S extends Step>(steps: S[], names: StepLabels): S[] {
  const order = new Map([...names.keys()].map((id, place) => [id, place]));
  const placeOf = ({ id, position }: Step) => order.get(id) ?? order.size + position;
  return steps.toSorted((a, b) => placeOf(a) - placeOf(b));
}
