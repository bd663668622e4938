// A plan's steps by group, and dependencies between groups.
import { z } from 'zod';
import { StepCounts } from './plan.ts';

const text = z.string();
const time = z.iso.datetime();
const whole = z.int();

/** `stage`: by number of predecessors. */
export const GroupBy = z.enum(['partition', 'operation', 'stage']);
export type GroupBy = z.infer<typeof GroupBy>;

export const StepGroup = z.object({
  /** '' for no partition. */
  key: text,
  steps: whole,
  counts: StepCounts,
  first: whole,
  /** `ended_at`: once all have. */
  started_at: time.nullable(),
  ended_at: time.nullable(),
  expected: z.object({ starts_at: time, ends_at: time }).nullable(),
  critical: whole,
});
export type StepGroup = z.infer<typeof StepGroup>;

export const PlanGroups = z.object({
  by: GroupBy,
  choices: z.array(GroupBy),
  groups: z.array(StepGroup),
  rest: z.object({ groups: whole, steps: whole }),
  /** `to` depends on `from`; heaviest first. */
  edges: z.array(z.object({ from: text, to: text, dependencies: whole })),
  edges_total: whole,
});
export type PlanGroups = z.infer<typeof PlanGroups>;
