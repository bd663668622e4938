// Requests sent by card buttons. Pure.
import { inputIdOf, readInputs } from '#cards/input-ids.ts';
import type { AnyPress } from '#domain/chat/press.ts';
import type { StepComment } from '#domain/plan/plan.ts';

export type Inputs = Record<string, unknown>;

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

function textOf(button: AnyPress, inputs: Inputs): string | undefined {
  const value = inputs[inputIdOf(button)];
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** Leaves out empty ones. */
function fieldsOf(button: AnyPress, inputs: Inputs): Record<string, unknown> | null {
  const fields = 'plan_id' in button ? readInputs(button, inputs) : null;
  if (fields === null) return null;
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  );
}

/** Null if no text is missing. */
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

/** @param except unticked steps */
type PressDetails = { except?: string[]; comments?: StepComment[] };

/** @returns the request, or why there is none */
export function planPress(
  button: AnyPress,
  inputs: Inputs,
  { except = [], comments = [] }: PressDetails = {},
): PressPlan {
  // The card lacks steps, arguments and what may run.
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
