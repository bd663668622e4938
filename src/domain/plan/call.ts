// The effect of a call as people see it, computed from the operation and its arguments, never written by a planner.
import type { Step } from './plan.ts';
import type { SeenState } from './seen.ts';

/** `reads` looks at what is here; `changes` alters something here; `outside` reaches beyond this installation, reads included. */
export type CallClass = 'reads' | 'changes' | 'outside';

/** An argument as it is shown: whole, or, where it is not known before the call, what it will come from. */
export type CallValue = {
  text: string;
  /** It comes from an earlier step or is decided at run time. */
  later: boolean;
};

/** One argument of a call. `payload` is what the call is about (a file's content, a message, a body). */
export type CallPart = CallValue & {
  label: string;
  payload: boolean;
  /** It helps to read the call and is not sent with it. */
  aid?: true;
};

export type CallDescription = {
  class: CallClass;
  /** What it destroys cannot be brought back. */
  destructive: boolean;
  /** The effect in order: `['Moves', { a.txt }, 'to', { b.txt }]`. Plain strings are ours; values are arguments. */
  headline: (string | CallValue)[];
  /** Every argument that the headline does not hold. Together the two hold all of them. */
  parts: CallPart[];
  /** What was there when the step was proposed; missing: that was not looked up. */
  target?: SeenState & {
    name: string;
    /** What is there makes the call fail. */
    fails: boolean;
  };
};

/** A step with the effect of its call. */
export type ShownStep = Step & { call: CallDescription };

/** How early a reviewer should see a call: 4 guarded, 3 destructive, 2 outside, 1 changes something, 0 only reads here. */
export type ReviewRank = 0 | 1 | 2 | 3 | 4;

const ranks = { reads: 0, changes: 1, outside: 2 } as const;

export function reviewRank(call: CallDescription, guarded: boolean): ReviewRank {
  if (guarded) return 4;
  return call.destructive ? 3 : ranks[call.class];
}
