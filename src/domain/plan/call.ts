// The effect of a call as people see it, computed from the operation and its arguments, never written by a planner.
import { z } from 'zod';
import { ShownCondition } from './condition.ts';
import { Step } from './plan.ts';
import { SeenState } from './seen.ts';

/** `reads` looks at what is here; `changes` alters something here; `outside` reaches beyond this installation, reads included. */
export const CallClass = z.enum(['reads', 'changes', 'outside']);
export type CallClass = z.infer<typeof CallClass>;

/** An argument as it is shown: whole, or, where it is not known before the call, what it will come from. */
const CallValue = z.object({
  text: z.string(),
  /** It comes from an earlier step or is decided at run time. */
  later: z.boolean(),
  /** It is no text: a number, true, a list or a record, as JSON. */
  json: z.literal(true).exactOptional(),
});
export type CallValue = z.infer<typeof CallValue>;

/** One argument of a call. `payload` is what the call is about (a file's content, a message, a body). */
const CallPart = CallValue.extend({
  label: z.string(),
  payload: z.boolean(),
  /** It helps to read the call and is not sent with it. */
  aid: z.literal(true).exactOptional(),
});
export type CallPart = z.infer<typeof CallPart>;

export const CallDescription = z.object({
  class: CallClass,
  /** What it destroys cannot be brought back. */
  destructive: z.boolean(),
  /** The effect in order: `['Moves', { a.txt }, 'to', { b.txt }]`. Plain strings are ours; values are arguments. */
  headline: z.array(z.union([z.string(), CallValue])),
  /** Every argument that the headline does not hold. Together the two hold all of them. */
  parts: z.array(CallPart),
  /** What was there when the step was proposed; missing: that was not looked up. `fails`: it makes the call fail. */
  target: SeenState.extend({ name: z.string(), fails: z.boolean() }).exactOptional(),
});
export type CallDescription = z.infer<typeof CallDescription>;

/** A step with the effect of its call and the labels of its conditions. */
export const ShownStep = Step.extend({
  call: CallDescription,
  when: z.array(ShownCondition),
});
export type ShownStep = z.infer<typeof ShownStep>;
