// A call's effect for people, never written by a planner.
import { z } from 'zod';
import type { JsonObject } from '../text.ts';
import { openArguments } from './arguments.ts';
import { ShownCondition } from './condition.ts';
import { Step } from './plan.ts';
import { SeenState } from './seen.ts';

/** `reads`: local data; `outside`: beyond this installation, even to read. */
export const CallClass = z.enum(['reads', 'changes', 'outside']);
export type CallClass = z.infer<typeof CallClass>;

const CallValue = z.object({
  text: z.string(),
  /** From an earlier step or run time. */
  later: z.boolean(),
  /** For values that are no text. */
  json: z.literal(true).exactOptional(),
});
export type CallValue = z.infer<typeof CallValue>;

/** `payload`: main content. */
const CallPart = CallValue.extend({
  label: z.string(),
  payload: z.boolean(),
  /** A reading aid, not sent. */
  aid: z.literal(true).exactOptional(),
});
export type CallPart = z.infer<typeof CallPart>;

export const CallDescription = z.object({
  class: CallClass,
  /** Irrecoverably. */
  destructive: z.boolean(),
  /** `['Moves', { a.txt }, 'to', { b.txt }]`: plain strings are ours, the others values. */
  headline: z.array(z.union([z.string(), CallValue])),
  parts: z.array(CallPart),
  /** As proposed. */
  target: SeenState.extend({ name: z.string(), fails: z.boolean() }).exactOptional(),
});
export type CallDescription = z.infer<typeof CallDescription>;

export const ShownStep = Step.extend({
  call: CallDescription,
  when: z.array(ShownCondition),
});
export type ShownStep = z.infer<typeof ShownStep>;

/**
 * Whether a person confirms run-time values: for guarded, irreversible and external calls, and those that select what changes.
 */
export function asksForValues(
  args: JsonObject,
  guarded: boolean,
  approved: CallDescription,
  final: CallDescription = approved,
): boolean {
  if (openArguments(args).length === 0) return false;
  if (guarded || final.destructive || final.class === 'outside') return true;
  const names = approved.headline.some((word) => typeof word !== 'string' && word.later);
  return final.class === 'changes' && names;
}
