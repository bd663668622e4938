// What is wanted of the times of a plan: by single wishes, or by the person's words where there are none.
import type { PlanOutline } from '#contracts/planning/outline.ts';
import type { Schedule, StrategyProfile } from '#contracts/planning/schedule.ts';
import { openWorkingTime } from '#timeline/working-time.ts';
import type { Operations } from '../roadmap/operations.ts';
import type { ChangedOutline, DateChange } from './date-change.ts';
import { readDateChanges } from './read-dates.ts';

/** What is asked for in so many words; empty and null: nothing is. */
type Wishes = {
  changes: DateChange[];
  /** Local dates on which people work although they would not, or the other way round. */
  days_on: string[];
  days_off: string[];
  in_working_hours: boolean | null;
};

/** What a schedule is made from beside the wishes. */
export type ScheduleContext = {
  outline: PlanOutline;
  operations: Operations;
  profile: StrategyProfile;
  timezone: string;
  now: Date;
  /** Whom the plan is for. */
  user: string;
  /** The person's words this turn. */
  request: string;
  /** The person's words where they are about the times that there were. */
  feedback: string | null;
  /** The times as they were. */
  last: Schedule | null;
};

type ReadWishes = {
  changes: DateChange[];
  days_on: string[];
  days_off: string[];
  questions: string[];
  /** By the person's own words. */
  said: boolean;
};

/** The single wishes, or the person's words where there are none. */
export function readWishes(
  input: Wishes,
  { outline, operations, timezone, profile, now, feedback, last }: ScheduleContext,
): ReadWishes {
  const given = {
    changes: input.changes,
    days_on: input.days_on,
    days_off: input.days_off,
    questions: [],
    said: false,
  };
  const isGiven = [given.changes, given.days_on, given.days_off].some(({ length }) => length > 0);
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
    schedule: last,
    now,
    timezone,
    workday: (node) => (people.has(node) && workday > 0 ? workday : null),
  });
  return { ...read, said: true };
}

const hours =
  /\b(?:during|in|within|outside) (?:(?:my|our|the|his|her|their|working|office|business) )+hours\b/i;

/** Whether people's work is to wait for their working hours: only where somebody spoke of its times. */
export function isAsked(
  { outline, adaptations }: ChangedOutline,
  input: Wishes,
  { days_on, days_off }: ReadWishes,
  { operations, request, last }: ScheduleContext,
): boolean {
  if (input.in_working_hours !== null) return input.in_working_hours;
  if (days_on.length + days_off.length > 0 || hours.test(request)) return true;
  if (outline.nodes.some(({ deadline }) => deadline !== null)) return true;
  // It was so before: a schedule is not given up because something else changes.
  if (last?.blocks.some(({ person, holds, fixed }) => person !== null && holds && !fixed))
    return true;
  const touched = new Set(adaptations.map(({ node }) => node));
  const wholes = new Set(outline.nodes.map(({ parent }) => parent));
  return outline.nodes.some(
    ({ id, steps }) =>
      touched.has(id) && (wholes.has(id) || steps.some((step) => operations.asksPerson(step))),
  );
}
