// A plan's critical path and expected times.
import { z } from 'zod';
import { RoadmapOption } from './roadmap.ts';

const text = z.string();
const time = z.iso.datetime();
const whole = z.int();

export const Forecast = z.object({
  critical: z.object({
    /** `durations`: stated or measured; `order`: unknown, so the longest chain. */
    basis: z.enum(['schedule', 'durations', 'order']),
    /** In order, at most 500. */
    steps: z.array(z.object({ id: text, position: whole })),
    total: whole,
    /** First start to last end; null without durations. */
    minutes: z.number().nullable(),
    /** Set if the path is omitted. */
    left_out: z.enum(['too_large', 'no_steps']).nullable(),
  }),
  /** `scheduled`: from the stored schedule. */
  steps: z.array(z.object({ id: text, starts_at: time, ends_at: time, scheduled: z.boolean() })),
  schedule: z
    .object({
      timezone: text,
      starts_at: time.nullable(),
      ends_at: time.nullable(),
      /** At most 500 stretches. */
      working: z.array(z.object({ from: time, to: time })),
    })
    .nullable(),
  roadmap: z.object({ options: z.array(RoadmapOption), chosen: text, reason: text }).nullable(),
});
export type Forecast = z.infer<typeof Forecast>;
