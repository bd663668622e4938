// Reads what a press sends back, whatever the platform: the press itself and the text typed beside it.
import { z } from 'zod';
import { CardPress } from '#contracts/card.ts';

/** The id of the input that belongs to an action; distinct, because a card may hold several. */
export function inputIdOf(press: CardPress): string {
  return press.step_id === undefined ? `text:${press.action}` : `text:step:${press.step_id}`;
}

export type ReadPress = { press: CardPress; text: string | null };

/** The press in the data of an Adaptive Card's action; null when it is none of ours. */
export function readPress(data: unknown): ReadPress | null {
  const parsed = CardPress.safeParse(data);
  if (!parsed.success) return null;
  const press = parsed.data;
  const inputs = z.record(z.string(), z.unknown()).safeParse(data);
  const typed = inputs.success ? inputs.data[inputIdOf(press)] : undefined;
  const text = typeof typed === 'string' ? typed.trim() : '';
  return { press, text: text === '' ? null : text };
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
