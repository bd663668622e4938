// The schedule: a block of time per node, in a person's zone and working hours (B15).
import { z } from 'zod';
import { line } from '../text.ts';

export const Weekday = z.enum(['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']);
export type Weekday = z.infer<typeof Weekday>;

const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/, 'must be HH:MM');
const day = z.iso.date();

/** Working hours and slack for schedules. */
export const StrategyProfile = z.strictObject({
  name: z.enum(['asap', 'balanced', 'cautious']).default('balanced'),
  working_hours: z
    .array(z.strictObject({ days: z.array(Weekday).min(1), from: clock, to: clock }))
    .default([{ days: ['MO', 'TU', 'WE', 'TH', 'FR'], from: '09:00', to: '17:00' }]),
  days_off: z.array(day).max(1000).default([]),
  /** Working days despite their weekday or a day off. */
  days_on: z.array(day).max(1000).default([]),
  /** Slack as a share of a person's task duration. */
  buffer: z.number().min(0).max(2).default(0),
  /** Maximum minutes of people's work per day, or null for all working hours. */
  minutes_a_day: z.number().positive().nullable().default(null),
});
export type StrategyProfile = z.infer<typeof StrategyProfile>;

export const ScheduleBlock = z.strictObject({
  node: line(200),
  /** ISO 8601 in UTC. */
  starts_at: z.iso.datetime(),
  ends_at: z.iso.datetime(),
  /** Requested by a person and never moved. */
  fixed: z.boolean(),
  /** The person whose working hours and capacity it uses. */
  person: line(200).nullable(),
  /** The step waits for this time; otherwise it is a forecast. */
  holds: z.boolean(),
});
export type ScheduleBlock = z.infer<typeof ScheduleBlock>;

/** A schedule conflict in a person's time. */
export const Conflict = z.strictObject({
  node: line(200),
  with: line(300),
  source: z.enum(['plan', 'calendar']),
  starts_at: z.iso.datetime(),
  ends_at: z.iso.datetime(),
  /** The nearest free start, or null within the horizon. */
  shift_to: z.iso.datetime().nullable(),
  /** Alternative starts: one on the same day, one on the next working day. */
  slots: z.array(z.iso.datetime()).max(3).exactOptional(),
});
export type Conflict = z.infer<typeof Conflict>;

/** Busy share of a person's working time in a week with work of the schedule. `from`: its first day. */
export const BookedWeek = z.strictObject({
  person: line(200),
  from: z.iso.date(),
  share: z.number().min(0),
});
export type BookedWeek = z.infer<typeof BookedWeek>;

export const PortfolioReport = z.strictObject({
  conflicts: z.array(Conflict),
  /** Busy share of working time between first and last block, or null without such time. */
  utilisation: z.number().min(0).nullable(),
  weeks: z.array(BookedWeek).exactOptional(),
  /** Calendars and plans checked, and those that could not be read. */
  looked_at: z.array(line(300)),
  unread: z.array(line(500)),
});
export type PortfolioReport = z.infer<typeof PortfolioReport>;

/** One change that would make an infeasible schedule possible. */
export const Relaxation = z.strictObject({
  node: line(200).nullable(),
  text: line(500),
  /** For a button, without names: the card lists the text. */
  label: line(60).exactOptional(),
  /** The change in words that the offline planner reads too; missing if no such words exist. */
  change: line(500).exactOptional(),
});

export type Relaxation = z.infer<typeof Relaxation>;

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
  /** No order of people's and pools' work ends earlier. */
  earliest_end: z.iso.datetime().exactOptional(),
});
export type Schedule = z.infer<typeof Schedule>;
