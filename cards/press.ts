// Reads what a press sends back, whatever the platform: the press itself and the text typed beside it.
import { z } from 'zod';
import { CardPress } from '#contracts/card.ts';
import { SessionPress } from '#contracts/session-card.ts';
import { inputIdOf, readInputs } from './input-ids.ts';

/** `fields`: what was filled in, where the step of the press has a form. */
export type ReadPress = {
  press: CardPress;
  text: string | null;
  fields: Record<string, unknown> | null;
};

/** The press in the data of an Adaptive Card's action; null when it is none of ours. */
export function readPress(data: unknown): ReadPress | null {
  const parsed = CardPress.safeParse(data);
  if (!parsed.success) return null;
  const press = parsed.data;
  const inputs = z.record(z.string(), z.unknown()).safeParse(data);
  const typed = inputs.success ? inputs.data[inputIdOf(press)] : undefined;
  const text = typeof typed === 'string' ? typed.trim() : '';
  const fields = inputs.success ? readInputs(press, inputs.data) : null;
  return { press, text: text === '' ? null : text, fields };
}

/** The press in the value of a Slack button; null when it is none of ours. */
export function readPressValue(value: string): CardPress | null {
  try {
    return readPress(JSON.parse(value))?.press ?? null;
  } catch (error) {
    // Not JSON: another app's button, which is not an error of ours.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The same for a press on a planning session's card: the press, and the text typed or chosen. */
export type ReadSessionPress = { press: SessionPress; text: string | null };

/** The press in the data of an Adaptive Card's action; null when it is none on a session's card. */
export function readSessionPress(data: unknown): ReadSessionPress | null {
  const parsed = SessionPress.safeParse(data);
  if (!parsed.success) return null;
  const press = parsed.data;
  const inputs = z.record(z.string(), z.unknown()).safeParse(data);
  const typed = inputs.success ? inputs.data[inputIdOf(press)] : undefined;
  const text = press.choice ?? (typeof typed === 'string' ? typed.trim() : '');
  return { press, text: text === '' ? null : text };
}
