// The numbers of steps as their card gives them (2a, 2b), so that a step is called the same wherever it is read and in
// words such as "approve all but 2b".
import type { PlanCardFacts } from '#domain/chat/card.ts';
import type { Step } from '#domain/plan/plan.ts';
import { labelSteps, numberedAtMost } from '#domain/plan/step-numbers.ts';

/** What steps are called, by id, in the order of their names. */
export type StepNames = ReadonlyMap<string, string>;

type Known = { facts: Pick<PlanCardFacts, 'plan' | 'steps'> };
type Steps = { steps: Step[] } | null;
/** What the page has read of a plan: for its drawings, for its list, and of a group that is open. */
type Seen = { drawn: Steps; list: Steps; opened?: Steps };

/** Where the card knows only a part of the plan, steps go by their places, as far as the page knows these. */
export function nameSteps({ facts }: Known, { drawn, list, opened }: Seen): StepNames {
  const { total_steps: total } = facts.plan;
  if (total <= numberedAtMost) return labelSteps(facts.steps, total);
  return labelSteps(
    [...facts.steps, ...(drawn?.steps ?? []), ...(list?.steps ?? []), ...(opened?.steps ?? [])],
    total,
  );
}

/** `steps` as the names run. */
export function sortByName<S extends Step>(steps: S[], names: StepNames): S[] {
  const order = new Map([...names.keys()].map((id, place) => [id, place]));
  const placeOf = ({ id, position }: Step) => order.get(id) ?? order.size + position;
  return steps.toSorted((a, b) => placeOf(a) - placeOf(b));
}
