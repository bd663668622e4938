// What people are called on a card. Who they are is compared by their names in the instance, never by these.
import type { PlanCardFacts } from '#contracts/card.ts';
import type { PlanSummary } from '#contracts/service.ts';
import { showLine } from './plain.ts';

/** Of a name with the account beside it, which says who it is. */
const shownAtMost = 120;

/** `name` as readers know it, on one line. @param atMost of a name that stands for itself */
export function showPerson(
  { names = {} }: Pick<PlanCardFacts, 'names'>,
  name: string,
  atMost: number,
): string {
  const shown = Object.hasOwn(names, name) ? names[name] : undefined;
  return shown === undefined ? showLine(name, atMost) : showLine(shown, shownAtMost);
}

/** Who asked for a plan, as a list has it. */
export function showRequester({ asked_by: shown, requester }: PlanSummary): string {
  return shown === undefined ? showLine(requester, 60) : showLine(shown, shownAtMost);
}
