// A press on a card with its input.
import { z } from 'zod';
import type { FieldValue } from '../plan/answer.ts';
import type { StepComment } from '../plan/plan.ts';
import { CardPress } from './card.ts';
import { SessionPress } from './session-card.ts';

export const AnyPress = z.union([CardPress, SessionPress]);
export type AnyPress = z.infer<typeof AnyPress>;

/** By ID, or position on the card. */
export type PressedPart = { steps: string[] } | { except: string[] } | { places: number[] };

export type Press = {
  button: AnyPress;
  /** Trimmed. */
  text: string;
  /** Null without a form. */
  fields: Record<string, FieldValue> | null;
  /** Null for all steps; for approvals. */
  part: PressedPart | null;
  comments?: StepComment[];
};

/** `nothing` if it only shows something. */
export type PressOutcome =
  | { kind: 'plan'; plan_id: string }
  | { kind: 'run'; run_id: string }
  | { kind: 'nothing' };

export function bare(button: AnyPress): Press {
  return { button, text: '', fields: null, part: null };
}
