// A plan seen from further away: its steps in groups, what the groups wait for, and which steps decide when it ends.
import { z } from 'zod';
import { RoadmapOption } from '../planning/roadmap.ts';
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

/** Which steps decide when the plan ends, when its steps take place, and the ways through it that were compared. */
export const Forecast = z.object({
  critical: z.object({
    /** `schedule`: by stored times; `durations`: by stated or measured ones; `order`: none is known, the longest chain of steps. */
    basis: z.enum(['schedule', 'durations', 'order']),
    /** From the first to the last, at most 500, and how many there are. */
    steps: z.array(z.object({ id: text, position: whole })),
    total: whole,
    /** From the begin of the first to the end of the last; null where no duration is known. */
    minutes: z.number().nullable(),
    /** Why it is left out. */
    left_out: z.enum(['too_large', 'no_steps']).nullable(),
  }),
  /** When the steps asked for take place; `scheduled`: by the stored schedule. */
  steps: z.array(z.object({ id: text, starts_at: time, ends_at: time, scheduled: z.boolean() })),
  schedule: z
    .object({
      timezone: text,
      starts_at: time.nullable(),
      ends_at: time.nullable(),
      /** Working time between begin and end, at most 500 stretches. */
      working: z.array(z.object({ from: time, to: time })),
    })
    .nullable(),
  roadmap: z.object({ options: z.array(RoadmapOption), chosen: text, reason: text }).nullable(),
});
export type Forecast = z.infer<typeof Forecast>;
