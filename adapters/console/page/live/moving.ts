// Which cards are asked for again now and then, since their plans go on without anybody in this page doing something.
import type { Plan } from '#domain/plan/plan.ts';

/** As much of the page's state as says which cards are where. */
export type Seen = {
  cards: ReadonlyMap<string, { facts: { plan: Plan } }>;
  messages: { plan_id: string | null }[];
  plan: { id: string } | null;
};

/** Whether the plan can still change without anybody in this page doing something. */
function isMoving(plan: Plan): boolean {
  return plan.revising || ['approved', 'executing', 'stalled', 'proposed'].includes(plan.status);
}

/** Cards in the conversation that are not the plan's own. Others were read once, for a decision about many, and stand nowhere. */
export function listMoving({ cards, messages, plan }: Seen): string[] {
  const spoken = new Set(messages.map(({ plan_id }) => plan_id));
  return [...cards].flatMap(([id, { facts }]) =>
    spoken.has(id) && id !== plan?.id && isMoving(facts.plan) ? [id] : [],
  );
}
