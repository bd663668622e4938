// What makes a card in Teams ask for itself again, for each reader alone: who may decide then sees their own buttons and times.
// https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/universal-actions-for-adaptive-cards/user-specific-views
import { z } from 'zod';
import type { PlanView, SessionView } from './view.ts';

type Card = { [key: string]: unknown };

/** The verb of such a question. */
export const refreshVerb = 'refresh';

/** What a card is about. */
export const CardSubject = z.union([
  z.object({ plan_id: z.string().max(40) }),
  z.object({ run_id: z.string().max(100) }),
]);
export type CardSubject = z.infer<typeof CardSubject>;

/** The card as one that asks for itself, where something on it waits for somebody. Whom it does so for, the adapter says. */
export function addRefresh(card: Card, view: PlanView | SessionView): Card {
  if (!view.state.open && view.asks.length === 0) return card;
  const subject: CardSubject =
    'plan_id' in view ? { plan_id: view.plan_id } : { run_id: view.run_id };
  const action = { type: 'Action.Execute', title: 'Refresh', verb: refreshVerb, data: subject };
  return { ...card, refresh: { action } };
}
