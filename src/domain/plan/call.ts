// The effect of a call for people, computed from the operation and arguments, never written by a planner.
import { z } from 'zod';
import type { JsonObject } from '../text.ts';
import { openArguments } from './arguments.ts';
import { ShownCondition } from './condition.ts';
import { Step } from './plan.ts';
import { SeenState } from './seen.ts';

/** `reads`: looks at local data; `changes`: alters it; `outside`: reaches beyond this installation, even to read. */
export const CallClass = z.enum(['reads', 'changes', 'outside']);
export type CallClass = z.infer<typeof CallClass>;

/** An argument as shown: its whole value, or what it will come from. */
const CallValue = z.object({
  text: z.string(),
  /** From an earlier step or decided at run time. */
  later: z.boolean(),
  /** Not text: a number, boolean, list or record, as JSON. */
  json: z.literal(true).exactOptional(),
});
export type CallValue = z.infer<typeof CallValue>;

/** `payload`: the main content (a file, message or body). */
const CallPart = CallValue.extend({
  label: z.string(),
  payload: z.boolean(),
  /** A reading aid, not sent with the call. */
  aid: z.literal(true).exactOptional(),
});
export type CallPart = z.infer<typeof CallPart>;

export const CallDescription = z.object({
  class: CallClass,
  /** Destroys something irrecoverably. */
  destructive: z.boolean(),
  /** The effect in order: `['Moves', { a.txt }, 'to', { b.txt }]`. Plain strings are ours; values are arguments. */
  headline: z.array(z.union([z.string(), CallValue])),
  /** All arguments not in the headline. */
  parts: z.array(CallPart),
  /** The target when the step was proposed, if looked up. `fails`: it makes the call fail. */
  target: SeenState.extend({ name: z.string(), fails: z.boolean() }).exactOptional(),
});
export type CallDescription = z.infer<typeof CallDescription>;

export const ShownStep = Step.extend({
  call: CallDescription,
  when: z.array(ShownCondition),
});
export type ShownStep = z.infer<typeof ShownStep>;

/**
 * Whether a person confirms the final values of a call, because values that are decided when it runs could not be reviewed: of
 * guarded, irreversible and external calls, and those that decide what a change applies to.
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
