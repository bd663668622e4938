// The schedule: a time block per node (B15).
import { z } from 'zod';
import { line } from '../text.ts';

export const Weekday = z.enum(['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU']);
export type Weekday = z.infer<typeof Weekday>;

const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$|^24:00$/, 'must be HH:MM');
const day = z.iso.date();

export const StrategyProfile = z.strictObject({
  name: z.enum(['asap', 'balanced', 'cautious']).default('balanced'),
  working_hours: z
    .array(z.strictObject({ days: z.array(Weekday).min(1), from: clock, to: clock }))
    .default([{ days: ['MO', 'TU', 'WE', 'TH', 'FR'], from: '09:00', to: '17:00' }]),
  days_off: z.array(day).max(1000).default([]),
  /** Overrides weekdays and days off. */
  days_on: z.array(day).max(1000).default([]),
  /** Share of a person's task duration. */
  buffer: z.number().min(0).max(2).default(0),
  /** People's work; null: all working hours. */
  minutes_a_day: z.number().positive().nullable().default(null),
});
export type StrategyProfile = z.infer<typeof StrategyProfile>;

export const ScheduleBlock = z.strictObject({
  node: line(200),
  /** ISO 8601, UTC. */
  starts_at: z.iso.datetime(),
  ends_at: z.iso.datetime(),
  /** By a person; never moved. */
  fixed: z.boolean(),
  /** Their hours and capacity are used. */
  person: line(200).nullable(),
  /** The step waits for this time; otherwise a forecast. */
  holds: z.boolean(),
});
export type ScheduleBlock = z.infer<typeof ScheduleBlock>;

export const Conflict = z.strictObject({
  node: line(200),
  with: line(300),
  source: z.enum(['plan', 'calendar']),
  starts_at: z.iso.datetime(),
  ends_at: z.iso.datetime(),
  /** Nearest free start; null within the horizon. */
  shift_to: z.iso.datetime().nullable(),
  /** On the same and the next working day. */
  slots: z.array(z.iso.datetime()).max(3).exactOptional(),
});
export type Conflict = z.infer<typeof Conflict>;

/** In weeks with work of the schedule. `from`: first day. */
export const BookedWeek = z.strictObject({
  person: line(200),
  from: z.iso.date(),
  share: z.number().min(0),
});
export type BookedWeek = z.infer<typeof BookedWeek>;

export const PortfolioReport = z.strictObject({
  conflicts: z.array(Conflict),
  /** Between first and last block; null without working time. */
  utilisation: z.number().min(0).nullable(),
  weeks: z.array(BookedWeek).exactOptional(),
  looked_at: z.array(line(300)),
  unread: z.array(line(500)),
});
export type PortfolioReport = z.infer<typeof PortfolioReport>;

export const Relaxation = z.strictObject({
  node: line(200).nullable(),
  text: line(500),
  /** Without names, for a button. */
  label: line(60).exactOptional(),
  /** In words the offline planner reads; absent if there are none. */
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
  /** No order ends earlier. */
  earliest_end: z.iso.datetime().exactOptional(),
});
export type Schedule = z.infer<typeof Schedule>;
