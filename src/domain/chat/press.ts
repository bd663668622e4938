// A press on a card, with what was entered beside it. Each adapter parses its platform's payload into this shape.
import { z } from 'zod';
import type { FieldValue } from '../plan/answer.ts';
import type { StepComment } from '../plan/plan.ts';
import { CardPress } from './card.ts';
import { SessionPress } from './session-card.ts';

/** What a button carries: a plan's or a planning session's. */
export const AnyPress = z.union([CardPress, SessionPress]);
export type AnyPress = z.infer<typeof AnyPress>;

/** Which steps an approval is about: by id, or by their places on the card that was shown. */
export type PressedPart = { steps: string[] } | { except: string[] } | { places: number[] };

export type Press = {
  button: AnyPress;
  /** Trimmed; empty: nothing was typed. */
  text: string;
  /** The values of a form; null: the card showed none. */
  fields: Record<string, FieldValue> | null;
  /** null: all steps. Read where the button approves a plan. */
  part: PressedPart | null;
  /** On single steps; read where the button proposes changes. */
  comments?: StepComment[];
};

/** What a press changed; a button that only shows something changed `nothing`. */
export type PressOutcome =
  | { kind: 'plan'; plan_id: string }
  | { kind: 'run'; run_id: string }
  | { kind: 'nothing' };

/** A button that was pressed with nothing beside it. */
export function bare(button: AnyPress): Press {
  return { button, text: '', fields: null, part: null };
}
