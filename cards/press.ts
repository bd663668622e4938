// Reads a press on a card: the press, the text typed beside it, and Teams' request for a reader's own view of a card.
import { z } from 'zod';
import { CardPress } from '#domain/chat/card.ts';
import { SessionPress } from '#domain/chat/session-card.ts';
import { inputIdOf, readInputs } from './input-ids.ts';
import type { PlanView, SessionView } from './view.ts';

/** `fields`: what was filled in, where the step of the press has a form. */
export type ReadPress = {
  press: CardPress;
  text: string | null;
  fields: Record<string, unknown> | null;
};

const Inputs = z.record(z.string(), z.unknown());
const inputsIn = (data: unknown) => Inputs.safeParse(data).data ?? {};

/** What was typed beside the button; empty: nothing. */
function readTyped(press: CardPress | SessionPress, inputs: Record<string, unknown>): string {
  const typed = inputs[inputIdOf(press)];
  return typeof typed === 'string' ? typed.trim() : '';
}

/** The press in the data of an Adaptive Card's action; null when it is none of ours. */
export function readPress(data: unknown): ReadPress | null {
  const parsed = CardPress.safeParse(data);
  if (!parsed.success) return null;
  const press = parsed.data;
  const inputs = inputsIn(data);
  const text = readTyped(press, inputs);
  const fields = readInputs(press, inputs);
  return { press, text: text === '' ? null : text, fields };
}

/** The same for a press on a planning session's card: the press, and the text typed or chosen. */
export type ReadSessionPress = { press: SessionPress; text: string | null };

/** The press in the data of an Adaptive Card's action; null when it is none on a session's card. */
export function readSessionPress(data: unknown): ReadSessionPress | null {
  const parsed = SessionPress.safeParse(data);
  if (!parsed.success) return null;
  const press = parsed.data;
  const text = press.choice ?? readTyped(press, inputsIn(data));
  return { press, text: text === '' ? null : text };
}

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

/** Actions that are no decisions about a whole plan or session. */
export const verbs = { part: 'approve_part', settings: 'settings_save', list: 'list' } as const;

/** The tick of the step at this place among the steps of the card. */
export const stepInput = (place: number) => `part:${place}`;
export const sliderInput = (name: string) => `slider:${name}`;
