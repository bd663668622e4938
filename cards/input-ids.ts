// Input IDs by press, shared by cards, server and console.
import type { CardPress } from '#domain/chat/card.ts';
import type { SessionPress } from '#domain/chat/session-card.ts';

type AnyAction = (CardPress | SessionPress)['action'];

/** Distinct within a card. */
export function inputIdOf(press: CardPress | SessionPress): string {
  if (!('step_id' in press) || press.step_id === undefined) return `text:${press.action}`;
  return press.action === 'human_blocked'
    ? `text:blocked:${press.step_id}`
    : `text:step:${press.step_id}`;
}

/** Field names have no colon, so the last one ends the step's ID. */
export function fieldInputId(stepId: string, name: string): string {
  return `field:${stepId}:${name}`;
}

export const withFields: ReadonlySet<AnyAction> = new Set<AnyAction>([
  'human_done',
  'save_playbook',
]);

/** Null if the card has no form. */
export function readInputs(
  press: CardPress,
  inputs: Record<string, unknown>,
): Record<string, unknown> | null {
  if (!withFields.has(press.action)) return null;
  const prefix = fieldInputId(press.step_id ?? '', '');
  const own = Object.entries(inputs).filter(
    ([id]) => id.startsWith(prefix) && !id.slice(prefix.length).includes(':'),
  );
  if (own.length === 0) return null;
  return Object.fromEntries(own.map(([id, value]) => [id.slice(prefix.length), value]));
}
