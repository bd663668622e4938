// A plan seen from further away: its steps in groups, what the groups wait for, and which steps decide when it ends.
import { z } from 'zod';
import { StepCounts } from './plan.ts';

const text = z.string();
const time = z.iso.datetime();
const whole = z.int();

/** What puts steps together: their partition, the operation they call, or how many steps come before them. */
export const GroupBy = z.enum(['partition', 'operation', 'stage']);
export type GroupBy = z.infer<typeof GroupBy>;

export const StepGroup = z.object({
  /** The partition (empty: the steps of none), the operation, or the number of the stage. */
  key: text,
  steps: whole,
  counts: StepCounts,
  /** Position of its first step. */
  first: whole,
  /** When its first step began and, once all of them have, when the last one ended. */
  started_at: time.nullable(),
  ended_at: time.nullable(),
  /** When it is expected to begin and end, by the schedule or the durations; null: nothing is expected of it. */
  expected: z.object({ starts_at: time, ends_at: time }).nullable(),
  /** How many of its steps decide when the plan ends. */
  critical: whole,
});
export type StepGroup = z.infer<typeof StepGroup>;

export const PlanGroups = z.object({
  by: GroupBy,
  /** How the plan can be grouped, the most telling first. */
  choices: z.array(GroupBy),
  /** The first ones, in the order of the plan. */
  groups: z.array(StepGroup),
  /** What the groups above leave out. */
  rest: z.object({ groups: whole, steps: whole }),
  /** `steps` of group `to` wait for one of group `from`; `from` may be behind `to` as well. The heaviest ones. */
  edges: z.array(z.object({ from: text, to: text, dependencies: whole })),
  edges_total: whole,
});
export type PlanGroups = z.infer<typeof PlanGroups>;
