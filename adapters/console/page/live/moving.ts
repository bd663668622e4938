// Cards to poll, whose plans change without a press here.
import type { Plan } from '#domain/plan/plan.ts';

export type Seen = {
  cards: ReadonlyMap<string, { facts: { plan: Plan } }>;
  messages: { plan_id: string | null }[];
  plan: { id: string } | null;
};

function isMoving(plan: Plan): boolean {
  return plan.revising || ['approved', 'executing', 'stalled', 'proposed'].includes(plan.status);
}

/** Not the open plan's, nor those read once for a bulk decision. */
export function listMoving({ cards, messages, plan }: Seen): string[] {
  const spoken = new Set(messages.map(({ plan_id }) => plan_id));
  return [...cards].flatMap(([id, { facts }]) =>
    spoken.has(id) && id !== plan?.id && isMoving(facts.plan) ? [id] : [],
  );
}
