// The critical path of a plan, and the roadmap options compared.
import { z } from 'zod';
import { RoadmapOption } from './roadmap.ts';

const text = z.string();
const time = z.iso.datetime();
const whole = z.int();

/** Critical path, expected times of steps, and the options compared. */
export const Forecast = z.object({
  critical: z.object({
    /** `schedule`: stored times; `durations`: stated or measured; `order`: none known, so the longest chain of steps. */
    basis: z.enum(['schedule', 'durations', 'order']),
    /** In order, at most 500, and the total. */
    steps: z.array(z.object({ id: text, position: whole })),
    total: whole,
    /** From first start to last end, or null without durations. */
    minutes: z.number().nullable(),
    /** The reason if omitted. */
    left_out: z.enum(['too_large', 'no_steps']).nullable(),
  }),
  /** Times of the requested steps; `scheduled`: from the stored schedule. */
  steps: z.array(z.object({ id: text, starts_at: time, ends_at: time, scheduled: z.boolean() })),
  schedule: z
    .object({
      timezone: text,
      starts_at: time.nullable(),
      ends_at: time.nullable(),
      /** Working time between start and end, at most 500 stretches. */
      working: z.array(z.object({ from: time, to: time })),
    })
    .nullable(),
  roadmap: z.object({ options: z.array(RoadmapOption), chosen: text, reason: text }).nullable(),
});
export type Forecast = z.infer<typeof Forecast>;
