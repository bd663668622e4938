// An overview of a plan: steps in groups, dependencies between groups, and the critical path.
import { z } from 'zod';
import { StepCounts } from './plan.ts';

const text = z.string();
const time = z.iso.datetime();
const whole = z.int();

/** Grouped by partition, by operation, or by number of predecessors. */
export const GroupBy = z.enum(['partition', 'operation', 'stage']);
export type GroupBy = z.infer<typeof GroupBy>;

export const StepGroup = z.object({
  /** The partition ('' for none), operation or stage number. */
  key: text,
  steps: whole,
  counts: StepCounts,
  first: whole,
  /** When its first step began and, once all have, the last one ended. */
  started_at: time.nullable(),
  ended_at: time.nullable(),
  /** Expected start and end by schedule or durations, or null. */
  expected: z.object({ starts_at: time, ends_at: time }).nullable(),
  critical: whole,
});
export type StepGroup = z.infer<typeof StepGroup>;

export const PlanGroups = z.object({
  by: GroupBy,
  /** Possible groupings, most telling first. */
  choices: z.array(GroupBy),
  /** The first ones, in plan order. */
  groups: z.array(StepGroup),
  /** The number left out. */
  rest: z.object({ groups: whole, steps: whole }),
  /** `dependencies` of steps in `to` on `from`, heaviest first; both directions are possible. */
  edges: z.array(z.object({ from: text, to: text, dependencies: whole })),
  edges_total: whole,
});
export type PlanGroups = z.infer<typeof PlanGroups>;
