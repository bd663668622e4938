// Which input of a card belongs to which press: said once for the cards, the server and the console's page.
import type { CardPress } from '#domain/chat/card.ts';
import type { SessionPress } from '#domain/chat/session-card.ts';

/** The id of the input that belongs to an action; distinct, because a card may hold several. */
export function inputIdOf(press: CardPress | SessionPress): string {
  if (!('step_id' in press) || press.step_id === undefined) return `text:${press.action}`;
  return press.action === 'human_blocked'
    ? `text:blocked:${press.step_id}`
    : `text:step:${press.step_id}`;
}

/** The id of a form's input. Names of fields hold no colon, so the last one ends the step's id. */
export function fieldInputId(stepId: string, name: string): string {
  return `field:${stepId}:${name}`;
}

/** What was filled in for the step of a press, by field; null when its card shows no form. */
export function readInputs(
  press: CardPress,
  inputs: Record<string, unknown>,
): Record<string, unknown> | null {
  if (press.action !== 'human_done' || press.step_id === undefined) return null;
  const prefix = fieldInputId(press.step_id, '');
  const own = Object.entries(inputs).filter(
    ([id]) => id.startsWith(prefix) && !id.slice(prefix.length).includes(':'),
  );
  if (own.length === 0) return null;
  return Object.fromEntries(own.map(([id, value]) => [id.slice(prefix.length), value]));
}
