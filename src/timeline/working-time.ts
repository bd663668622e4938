// Working hours in an IANA zone: hours by weekday, days off, days on. Wall time counts, so a working day across a clock change
// is an hour longer or shorter.
import { Temporal } from 'temporal-polyfill';
import type { StrategyProfile, Weekday } from '#domain/planning/schedule.ts';
import { type Interval, measureIntervals, mergeIntervals } from './intervals.ts';

/** A stretch of working time, and the local day it began on, counted from 1970-01-01. */
export type WorkingWindow = Interval & { day: number };

export type WorkingTime = {
  timezone: string;
  /** Working windows that end after `at`, in order and never overlapping; the first may have begun before. Ends with the horizon. */
  windowsFrom(at: number): Iterable<WorkingWindow>;
  /** Longest stretch without a break in a regular week, in milliseconds; 0: nobody ever works. */
  longest: number;
};

export type WorkingHours = Pick<StrategyProfile, 'working_hours' | 'days_off' | 'days_on'>;

export const minuteMs = 60_000;
const dayMs = 86_400_000;
/** How far ahead working time is looked for. */
const horizonDays = 3660;
const weekdays: Weekday[] = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

/** A span within a day in minutes after its midnight; the end may lie on the next day. */
type Shift = { from: number; to: number };

/** The working time that `hours` describe in `timezone`. Hours whose end lies before their begin go over midnight. */
export function openWorkingTime(hours: WorkingHours, timezone: string): WorkingTime {
  const week = readWeek(hours);
  const off = new Set(hours.days_off);
  const on = new Set(hours.days_on);
  const usual = findUsual([...week.values()]);
  const shiftsOf = (day: number): Shift[] => {
    const date = printDay(day);
    if (on.has(date)) return week.get(weekdayOf(day)) ?? usual;
    return off.has(date) ? [] : (week.get(weekdayOf(day)) ?? []);
  };
  const known = new Map<number, WorkingWindow[]>();
  const windowsOf = (day: number): WorkingWindow[] => {
    const cached = known.get(day);
    if (cached !== undefined) return cached;
    const windows = shiftsOf(day)
      .map(({ from, to }) => ({
        from: toInstant(day, from, timezone),
        to: toInstant(day, to, timezone),
        day,
      }))
      .filter(({ from, to }) => to > from);
    known.set(day, windows);
    return windows;
  };
  const everWorks = week.size > 0;
  return {
    timezone,
    longest: findLongest(week),
    *windowsFrom(at) {
      if (!everWorks) return;
      // A shift of the day before can reach over midnight.
      const first = dayOf(at, timezone) - 1;
      let reached = Number.NEGATIVE_INFINITY;
      for (let day = first; day <= first + horizonDays; day += 1) {
        for (const window of windowsOf(day)) {
          const from = Math.max(window.from, reached);
          if (window.to <= from) continue;
          reached = window.to;
          if (window.to > at) yield { from, to: window.to, day };
        }
      }
    },
  };
}

function readWeek({ working_hours }: Pick<WorkingHours, 'working_hours'>): Map<Weekday, Shift[]> {
  const week = new Map<Weekday, Shift[]>();
  for (const { days, from, to } of working_hours) {
    const shift = readShift(from, to);
    if (shift === null) continue;
    for (const day of new Set(days))
      week.set(day, mergeIntervals([...(week.get(day) ?? []), shift]));
  }
  return week;
}

/** Minutes of work on a usual day; null: nobody ever works. */
export function measureWorkingDay({
  minutes_a_day,
  working_hours,
}: Pick<StrategyProfile, 'minutes_a_day' | 'working_hours'>): number | null {
  const shifts = findUsual([...readWeek({ working_hours }).values()]);
  return minutes_a_day ?? (measureIntervals(shifts) || null);
}

/** The working time inside a span, merged. */
export function workingTimeWithin(time: WorkingTime, span: Interval): Interval[] {
  const inside: Interval[] = [];
  for (const { from, to } of time.windowsFrom(span.from)) {
    if (from >= span.to) break;
    inside.push({ from: Math.max(from, span.from), to: Math.min(to, span.to) });
  }
  return mergeIntervals(inside);
}

/** Minutes of working time inside a span. */
export function workingMinutesWithin(time: WorkingTime, span: Interval): number {
  return measureIntervals(workingTimeWithin(time, span)) / minuteMs;
}

/** The local day of a moment, counted from 1970-01-01. */
export function dayOf(at: number, timezone: string): number {
  const { year, month, day } =
    Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone);
  return Date.UTC(year, month - 1, day) / dayMs;
}

/** The first moment of a local day. */
export function startOfDay(day: number, timezone: string): number {
  return toInstant(day, 0, timezone);
}

/** `2026-03-14` for a day counted from 1970-01-01. */
export function printDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

function weekdayOf(day: number): Weekday {
  return weekdays[new Date(day * dayMs).getUTCDay()] ?? 'SU';
}

/** A wall time that the clocks skip is the moment after the gap; one that comes twice is the first of the two. */
function toInstant(day: number, minutes: number, timezone: string): number {
  const later = Math.floor(minutes / 1440);
  const date = Temporal.PlainDate.from(printDay(day + later));
  const rest = minutes - later * 1440;
  return date.toZonedDateTime({
    timeZone: timezone,
    plainTime: { hour: Math.floor(rest / 60), minute: rest % 60 },
  }).epochMilliseconds;
}

/** null: it is empty. */
function readShift(from: string, to: string): Shift | null {
  const [begin, end] = [readClock(from), readClock(to)];
  if (begin === end || begin >= 1440) return null;
  return { from: begin, to: end > begin ? end : end + 1440 };
}

function readClock(text: string): number {
  return Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));
}

/** Hours for a day that has none of its own: those that most weekdays have. */
function findUsual(days: Shift[][]): Shift[] {
  const counted = new Map<string, { count: number; shifts: Shift[] }>();
  for (const shifts of days) {
    const key = JSON.stringify(shifts);
    counted.set(key, { count: (counted.get(key)?.count ?? 0) + 1, shifts });
  }
  return [...counted.values()].sort((a, b) => b.count - a.count)[0]?.shifts ?? [];
}

function findLongest(week: Map<Weekday, Shift[]>): number {
  // Two weeks in a row, so that a stretch over the end of the week is seen whole.
  const shifts = Array.from({ length: 14 }, (_, day) =>
    (week.get(weekdays[day % 7] ?? 'SU') ?? []).map(({ from, to }) => ({
      from: from + day * 1440,
      to: to + day * 1440,
    })),
  ).flat();
  return Math.max(0, ...mergeIntervals(shifts).map(({ from, to }) => (to - from) * minuteMs));
}
