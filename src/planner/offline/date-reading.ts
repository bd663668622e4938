// What changes of dates are read from, and what they are read into.
import type { PlanOutline } from '#contracts/planning/outline.ts';
import type { Schedule } from '#contracts/planning/schedule.ts';
import type { DateChange } from '../schedule/date-change.ts';
import type { NodeFinder } from './find-node.ts';

export type ReadDates = {
  changes: DateChange[];
  /** Local dates on which people work although they would not, or the other way round. */
  days_on: string[];
  days_off: string[];
  /** What to ask, a question each; empty: all of it was read. */
  questions: string[];
};

export type DateReading = {
  outline: PlanOutline;
  /** The times as they were, for "two hours later". */
  schedule: Schedule | null;
  now: Date;
  timezone: string;
  /** Minutes of a day's work for the nodes that take a person's time; null for the others, whose days have 24 hours. */
  workday(node: string): number | null;
};

/** What the readers of one feedback share. */
export type DateContext = DateReading & { finder: NodeFinder; read: ReadDates };
