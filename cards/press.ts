// Reads presses on cards and Teams' refresh requests.
import { z } from 'zod';
import { CardPress } from '#domain/chat/card.ts';
import { SessionPress } from '#domain/chat/session-card.ts';
import { inputIdOf, readInputs } from './input-ids.ts';
import type { PlanView, SessionView } from './view.ts';

/** `fields`: form inputs, if any. */
export type ReadPress = {
  press: CardPress;
  text: string | null;
  fields: Record<string, unknown> | null;
};

const Inputs = z.record(z.string(), z.unknown());
const inputsIn = (data: unknown) => Inputs.safeParse(data).data ?? {};

function readTyped(press: CardPress | SessionPress, inputs: Record<string, unknown>): string {
  const typed = inputs[inputIdOf(press)];
  return typeof typed === 'string' ? typed.trim() : '';
}

/** Null if not ours. */
export function readPress(data: unknown): ReadPress | null {
  const parsed = CardPress.safeParse(data);
  if (!parsed.success) return null;
  const press = parsed.data;
  const inputs = inputsIn(data);
  const text = readTyped(press, inputs);
  const fields = readInputs(press, inputs);
  return { press, text: text === '' ? null : text, fields };
}

export type ReadSessionPress = { press: SessionPress; text: string | null };

/** Null if not on a session's card. */
export function readSessionPress(data: unknown): ReadSessionPress | null {
  const parsed = SessionPress.safeParse(data);
  if (!parsed.success) return null;
  const press = parsed.data;
  const text = press.choice ?? readTyped(press, inputsIn(data));
  return { press, text: text === '' ? null : text };
}

type Card = { [key: string]: unknown };

export const refreshVerb = 'refresh';

export const CardSubject = z.union([
  z.object({ plan_id: z.string().max(40) }),
  z.object({ run_id: z.string().max(100) }),
]);
export type CardSubject = z.infer<typeof CardSubject>;

/** The adapter adds for whom. */
export function addRefresh(card: Card, view: PlanView | SessionView): Card {
  if (!view.state.open && view.asks.length === 0) return card;
  const subject: CardSubject =
    'plan_id' in view ? { plan_id: view.plan_id } : { run_id: view.run_id };
  const action = { type: 'Action.Execute', title: 'Refresh', verb: refreshVerb, data: subject };
  return { ...card, refresh: { action } };
}

/** Besides decisions on a plan or session. */
export const verbs = {
  part: 'approve_part',
  settings: 'settings_save',
  list: 'list',
  recurring: 'recurring',
} as const;

export const stepInput = (place: number) => `part:${place}`;
export const sliderInput = (name: string) => `slider:${name}`;
