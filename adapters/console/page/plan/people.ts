// Names of people; the reader is `You`.
import { showPerson, showRequester, throughAgent } from '#cards/plain.ts';
import type { PlanCardFacts } from '#domain/chat/card.ts';
import type { PlanSummary } from '#domain/plan/plan.ts';

/** The page has no login; the server's name for its reader. */
export const reader = 'local';

const you = 'You';

export function callPerson(facts: Pick<PlanCardFacts, 'names'>, name: string): string {
  return name === reader ? you : showPerson(facts, name, 60);
}

export function callRequester(plan: PlanSummary): string {
  return plan.requester === reader ? you + throughAgent(plan) : showRequester(plan);
}

export function callAuthor({ author, name }: { author: string; name: string }): string {
  return author === 'person' && name === reader ? you : name;
}
