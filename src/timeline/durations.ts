// Converts lengths to a step's working or clock time.
import { isWork, minutesOf, readLength, writeLength } from '#domain/length.ts';
import type { StrategyProfile } from '#domain/planning/schedule.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { measureWorkingDay } from './working-time.ts';

type ReadDuration =
  /** `text`: null for a number. */
  { ok: true; minutes: number; text: string | null } | { ok: false; message: string };

/** `clock`: no person works on it. */
export type DurationOf = 'person' | 'clock';

type Hours = Pick<StrategyProfile, 'working_hours' | 'minutes_a_day'>;

/** Ten years. */
const maxMinutes = 5_256_000;

function workdaysOf({ working_hours }: Hours): number {
  return new Set(working_hours.flatMap(({ days }) => days)).size;
}

/** `profile` sets working days, weeks, and a person's hours. */
export function parseDuration(text: string, profile: Hours, of: DurationOf): ReadDuration {
  const shown = quoteWords(text.trim().slice(0, 100), 200);
  const refuse = (why: string): ReadDuration => ({ ok: false, message: `${shown} ${why}` });
  const length = readLength(text);
  if (length === null)
    return refuse(
      'is no duration. Write one such as “3 working days”, “3 days”, “2 h” or “45 min”.',
    );
  if (of === 'clock' && length.working)
    return refuse(
      'is working time, and no person works on this. Give hours or days by the clock, such as 72 h.',
    );
  const work = of === 'person' && isWork(length);
  const day = work ? measureWorkingDay(profile) : 1440;
  if (day === null && length.parts.some(({ unit }) => unit === 'day' || unit === 'week'))
    return refuse('can’t be counted: the working hours are empty. Give hours, such as 24 h.');
  const week = (day ?? 0) * (work ? workdaysOf(profile) : 7);
  const minutes = minutesOf(length, { day: day ?? 0, week });
  if (minutes > maxMinutes) return refuse('is too long: a step takes at most ten years.');
  return { ok: true, minutes, text: writeLength(length) };
}

/** Refuses a person's elapsed days as a number: 4320 meant as three days would become nine. */
export function readDuration(
  written: string | number,
  profile: Hours,
  of: DurationOf,
): ReadDuration {
  if (typeof written === 'string') return parseDuration(written, profile, of);
  if (of === 'clock' || written === 0 || written % 1440 !== 0)
    return { ok: true, minutes: written, text: null };
  const days = countOf(written / 1440, 'day');
  const work = countOf(written / 60, 'working hour');
  return {
    ok: false,
    message: `${written} minutes are ${days} by the clock, and ${work}. Say which in words: ${quoteWords(days, 40)} or ${quoteWords(work, 40)}.`,
  };
}
