// Cards that are read again from time to time, because their plans move without a press on this page.
import type { Plan } from '#domain/plan/plan.ts';

/** As much of the page's state as says which cards are where. */
export type Seen = {
  cards: ReadonlyMap<string, { facts: { plan: Plan } }>;
  messages: { plan_id: string | null }[];
  plan: { id: string } | null;
};

/** Whether the plan can still change without a press on this page. */
function isMoving(plan: Plan): boolean {
  return plan.revising || ['approved', 'executing', 'stalled', 'proposed'].includes(plan.status);
}

/** Cards in the conversation that are not the plan's own. Others were read once for a bulk decision and aren't shown. */
export function listMoving({ cards, messages, plan }: Seen): string[] {
  const spoken = new Set(messages.map(({ plan_id }) => plan_id));
  return [...cards].flatMap(([id, { facts }]) =>
    spoken.has(id) && id !== plan?.id && isMoving(facts.plan) ? [id] : [],
  );
}
