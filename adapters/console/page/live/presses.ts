// Requests that presses on cards send. Pure, so that every button is tested without a browser.
import { inputIdOf, readInputs } from '#cards/input-ids.ts';
import type { AnyPress } from '#domain/chat/press.ts';
import type { StepComment } from '#domain/plan/plan.ts';

/** Typed on the card, by input id. */
export type Inputs = Record<string, unknown>;

/** The body of `POST /api/press`. */
export type PressBody = {
  button: AnyPress;
  text?: string;
  fields?: Record<string, unknown>;
  except?: string[];
  comments?: StepComment[];
};

export type PressPlan =
  | { kind: 'send'; body: PressBody }
  | { kind: 'show'; tab: 'steps' }
  | { kind: 'refuse'; sentence: string };

/** The text typed next to the button. */
function textOf(button: AnyPress, inputs: Inputs): string | undefined {
  const value = inputs[inputIdOf(button)];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** A form's inputs, without empty ones. */
function fieldsOf(button: AnyPress, inputs: Inputs): Record<string, unknown> | null {
  const fields = 'plan_id' in button ? readInputs(button, inputs) : null;
  if (fields === null) return null;
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  );
}

/** The prompt for a button that needs text and has none, or null if it needs none. */
function missingFor({ action }: AnyPress): string | null {
  switch (action) {
    case 'propose_changes':
    case 'session_changes':
      return 'Say what should change, then send it.';
    case 'session_answer':
      return 'Write an answer, then send it.';
    case 'human_blocked':
      return "Say what's blocking you.";
    default:
      return null;
  }
}

/** @param except steps that are unticked; `comments`: what was said about single steps */
type PressDetails = { except?: string[]; comments?: StepComment[] };

/** The request of a press, or why there is none. */
export function planPress(
  button: AnyPress,
  inputs: Inputs,
  { except = [], comments = [] }: PressDetails = {},
): PressPlan {
  // The overview says what the card says; single steps, their arguments and which of them may run is what it lacks.
  if (button.action === 'details') return { kind: 'show', tab: 'steps' };
  const text = textOf(button, inputs);
  const chosen = 'choice' in button && button.choice !== undefined;
  const commented = button.action === 'propose_changes' && comments.length > 0;
  const missing = chosen || commented || text !== undefined ? null : missingFor(button);
  if (missing !== null) return { kind: 'refuse', sentence: missing };
  const fields = fieldsOf(button, inputs);
  return {
    kind: 'send',
    body: {
      button,
      ...(text === undefined ? {} : { text }),
      ...(fields === null ? {} : { fields }),
      ...(button.action === 'approve' && except.length > 0 ? { except } : {}),
      ...(commented ? { comments } : {}),
    },
  };
}
