// Which steps decide when a plan ends, and the roads to that end that were compared.
import { z } from 'zod';
import { RoadmapOption } from './roadmap.ts';

const text = z.string();
const time = z.iso.datetime();
const whole = z.int();

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
