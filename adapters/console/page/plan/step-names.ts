// The numbers of steps as their card gives them (2a, 2b), so that a step is called the same wherever it is read and in
// words such as "approve all but 2b".
import type { Step } from '#contracts/plan.ts';
import { numberedAtMost, numberSteps } from '#contracts/step-numbers.ts';
import type { Card } from '../live/state.ts';

/** What steps are called, by id, in the order they can run. Those without a name go by their place in the plan. */
export type StepNames = ReadonlyMap<string, string>;

/** Empty where the card knows only a part of the plan: numbers of a part would repeat places of the rest. */
export function nameSteps({ facts }: Card): StepNames {
  if (facts.plan.total_steps > numberedAtMost) return new Map();
  return new Map(numberSteps(facts.steps).map(({ step, label }) => [step.id, label]));
}

/** `steps` as the names run. */
export function sortByName(steps: Step[], names: StepNames): Step[] {
  const order = new Map([...names.keys()].map((id, place) => [id, place]));
  const placeOf = ({ id, position }: Step) => order.get(id) ?? order.size + position;
  return steps.toSorted((a, b) => placeOf(a) - placeOf(b));
}
