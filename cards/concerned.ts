// Whom a card asks for something. A chat platform may show them more of it than other readers.
import { assigneeOf } from '#contracts/assignee.ts';
import type { PlanCardFacts } from '#contracts/card.ts';

/** Those whom a plan's card waits for, by the names they are written with. */
export function findConcerned({
  plan,
  waiting,
}: Pick<PlanCardFacts, 'waiting'> & {
  plan: Pick<PlanCardFacts['plan'], 'requester' | 'approver_policy'>;
}): string[] {
  const rule = plan.approver_policy;
  const asked = waiting.flatMap((step) => assigneeOf(step) ?? []);
  return [...new Set([...asked, plan.requester, ...('people' in rule ? rule.people : [])])];
}
