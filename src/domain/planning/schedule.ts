// The schedule, when: a block of time for each node that needs one, in a person's zone and working hours (B15).
import { z } from 'zod';
import { line } from '../text.ts';

export const Weekday = z.enum(['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']);
export type Weekday = z.infer<typeof Weekday>;

const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/, 'must be HH:MM');
const day = z.iso.date();

/** How a schedule is made: when people work, and how much room is left. */
export const StrategyProfile = z.strictObject({
  name: z.enum(['asap', 'balanced', 'cautious']).default('balanced'),
  working_hours: z
    .array(z.strictObject({ days: z.array(Weekday).min(1), from: clock, to: clock }))
    .default([{ days: ['MO', 'TU', 'WE', 'TH', 'FR'], from: '09:00', to: '17:00' }]),
  days_off: z.array(day).max(1000).default([]),
  /** Days on which people work although their weekday or a day off says otherwise. */
  days_on: z.array(day).max(1000).default([]),
  /** Share of its duration that a person's task gets on top. */
  buffer: z.number().min(0).max(2).default(0),
  /** Minutes of people's work on one day; null: as long as the working hours are. */
  minutes_a_day: z.number().positive().nullable().default(null),
});
export type StrategyProfile = z.infer<typeof StrategyProfile>;

export const ScheduleBlock = z.strictObject({
  node: line(200),
  /** ISO 8601 in UTC. */
  starts_at: z.iso.datetime(),
  ends_at: z.iso.datetime(),
  /** The moment was said by a person and is not moved. */
  fixed: z.boolean(),
  /** It is a person's time, so it lies in working hours and counts against their capacity. */
  person: line(200).nullable(),
  /** Nothing begins before this moment by itself: the step waits for it. Otherwise the block is a forecast. */
  holds: z.boolean(),
});
export type ScheduleBlock = z.infer<typeof ScheduleBlock>;

/** Where a schedule meets something else in a person's time. */
export const Conflict = z.strictObject({
  node: line(200),
  with: line(300),
  source: z.enum(['plan', 'calendar']),
  starts_at: z.iso.datetime(),
  ends_at: z.iso.datetime(),
  /** The nearest start at which nothing overlaps; null: none within the horizon. */
  shift_to: z.iso.datetime().nullable(),
  /** Free starts to choose from: one on the same day, one on the next working day. */
  slots: z.array(z.iso.datetime()).max(3).exactOptional(),
});
export type Conflict = z.infer<typeof Conflict>;

export const PortfolioReport = z.strictObject({
  conflicts: z.array(Conflict),
  /** Busy share of the working time between the first and the last block, 0 and more; null without such time. */
  utilisation: z.number().min(0).nullable(),
  /** Calendars and plans that were looked at, and what could not be read. */
  looked_at: z.array(line(300)),
  unread: z.array(line(500)),
});
export type PortfolioReport = z.infer<typeof PortfolioReport>;

/** One change that would make an infeasible schedule possible. */
export const Relaxation = z.strictObject({ node: line(200).nullable(), text: line(500) });

export const Infeasibility = z.strictObject({
  reason: line(1000),
  relaxations: z.array(Relaxation).max(10),
});
export type Infeasibility = z.infer<typeof Infeasibility>;

export const Schedule = z.strictObject({
  timezone: line(100),
  profile: StrategyProfile,
  blocks: z.array(ScheduleBlock),
  starts_at: z.iso.datetime().nullable(),
  ends_at: z.iso.datetime().nullable(),
});
export type Schedule = z.infer<typeof Schedule>;
