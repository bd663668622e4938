// What is wanted of the times of a plan: the arguments of generate_schedule, or the person's words where there are none.
import { z } from 'zod';
import type { PlanOutline } from '#contracts/planning/outline.ts';
import type { StrategyProfile } from '#contracts/planning/schedule.ts';
import { openWorkingTime } from '#timeline/working-time.ts';
import type { Operations } from '../roadmap/operations.ts';
import type { Desk } from '../tools/planning-tool.ts';
import { type ChangedOutline, DateChange } from './date-change.ts';
import { readDateChanges } from './read-dates.ts';

const Wishes = z.strictObject({
  changes: z
    .array(DateChange)
    .max(500)
    .describe('Other times for nodes; empty: as they were said, and as the feedback says.'),
  work_on: z.array(z.iso.date()).max(100).nullable().describe('Days off on which people work.'),
  rest_on: z.array(z.iso.date()).max(100).nullable().describe('Days on which nobody works.'),
  in_working_hours: z
    .boolean()
    .nullable()
    .describe('true: people are asked in their working hours only.'),
});
export type Wishes = z.infer<typeof Wishes>;

export const noWishes: Wishes = {
  changes: [],
  work_on: null,
  rest_on: null,
  in_working_hours: null,
};

/** What is left out is null. The schema that models see is the strict one. */
export const WishesInput = z.preprocess((value) => {
  if (!isRecord(value)) return value;
  const changes = Array.isArray(value.changes)
    ? value.changes.map((one: unknown) => (isRecord(one) ? { ...emptyChange, ...one } : one))
    : (value.changes ?? []);
  return { ...noWishes, ...value, changes };
}, Wishes);

const emptyChange = {
  not_before: null,
  exact: null,
  deadline: null,
  duration_minutes: null,
  drop: null,
};

/** What a schedule is made from beside the wishes. */
export type ScheduleContext = {
  desk: Desk;
  profile: StrategyProfile;
  timezone: string;
  operations: Operations;
  outline: PlanOutline;
};

type ReadWishes = {
  changes: DateChange[];
  days_on: string[];
  days_off: string[];
  questions: string[];
  /** By the person's own words. */
  said: boolean;
};

/** The arguments, or the person's words where there are none. */
export function readWishes(
  input: Wishes,
  { desk, outline, operations, timezone, profile }: ScheduleContext,
): ReadWishes {
  const given = {
    changes: input.changes,
    days_on: input.work_on ?? [],
    days_off: input.rest_on ?? [],
    questions: [],
    said: false,
  };
  const isGiven = [given.changes, given.days_on, given.days_off].some(({ length }) => length > 0);
  const feedback = feedbackOf(desk);
  if (isGiven || feedback === null || input.in_working_hours !== null)
    return { ...given, said: feedback !== null };
  const workday = openWorkingTime(profile, timezone).longest / 60_000;
  const people = new Set(
    outline.nodes.flatMap(({ id, steps }) =>
      steps.some((step) => operations.asksPerson(step)) ? [id] : [],
    ),
  );
  const read = readDateChanges(feedback, {
    outline,
    schedule: desk.state.schedule,
    now: desk.now,
    timezone,
    workday: (node) => (people.has(node) && workday > 0 ? workday : null),
  });
  return { ...read, said: true };
}

/** What the person wants of the times; null: this turn is not about them. */
function feedbackOf({ state, request }: Desk): string | null {
  if (state.change !== null) return state.change.gate === 'schedule' ? state.change.feedback : null;
  const { pause } = state;
  const waits = pause?.kind === 'escalation' || pause?.kind === 'questions';
  return waits && pause.resume === 'DRAFT_SCHEDULE' ? request : null;
}

const hours =
  /\b(?:during|in|within|outside) (?:(?:my|our|the|his|her|their|working|office|business) )+hours\b/i;

/** Whether people's work is to wait for their working hours: only where somebody spoke of its times. */
export function isAsked(
  { outline, adaptations }: ChangedOutline,
  input: Wishes,
  { days_on, days_off }: ReadWishes,
  { desk, operations }: ScheduleContext,
): boolean {
  if (input.in_working_hours !== null) return input.in_working_hours;
  if (days_on.length + days_off.length > 0 || hours.test(desk.request)) return true;
  if (outline.nodes.some(({ deadline }) => deadline !== null)) return true;
  // It was so before: a schedule is not given up because something else changes.
  const { schedule: last } = desk.state;
  if (last?.blocks.some(({ person, holds, fixed }) => person !== null && holds && !fixed))
    return true;
  const touched = new Set(adaptations.map(({ node }) => node));
  const wholes = new Set(outline.nodes.map(({ parent }) => parent));
  return outline.nodes.some(
    ({ id, steps }) =>
      touched.has(id) && (wholes.has(id) || steps.some((step) => operations.asksPerson(step))),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
