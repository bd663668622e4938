// A press on a card with the entered values. Each adapter converts its platform's payload.
import { z } from 'zod';
import type { FieldValue } from '../plan/answer.ts';
import type { StepComment } from '../plan/plan.ts';
import { CardPress } from './card.ts';
import { SessionPress } from './session-card.ts';

/** A button of a plan or session. */
export const AnyPress = z.union([CardPress, SessionPress]);
export type AnyPress = z.infer<typeof AnyPress>;

/** The steps an approval is about: by ID, or by position on the card shown. */
export type PressedPart = { steps: string[] } | { except: string[] } | { places: number[] };

export type Press = {
  button: AnyPress;
  /** Trimmed; empty if nothing was typed. */
  text: string;
  /** A form's values, or null without a form. */
  fields: Record<string, FieldValue> | null;
  /** Null for all steps. Used when approving. */
  part: PressedPart | null;
  /** On single steps; used when proposing changes. */
  comments?: StepComment[];
};

/** The subject that a press changed; `nothing` if it only shows something. */
export type PressOutcome =
  | { kind: 'plan'; plan_id: string }
  | { kind: 'run'; run_id: string }
  | { kind: 'nothing' };

/** A button pressed without input. */
export function bare(button: AnyPress): Press {
  return { button, text: '', fields: null, part: null };
}
