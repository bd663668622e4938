// Intervals and working hours, in wall time.
import { Temporal } from 'temporal-polyfill';
import type { StrategyProfile, Weekday } from '#domain/planning/schedule.ts';

/** Excludes `to`. */
export type Interval = { from: number; to: number };

export function mergeIntervals(intervals: Iterable<Interval>): Interval[] {
  const sorted = [...intervals]
    .filter(({ from, to }) => to > from)
    .sort((a, b) => a.from - b.from || a.to - b.to);
  const merged: Interval[] = [];
  for (const { from, to } of sorted) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}

/** Both merged. */
export function intersectIntervals(a: readonly Interval[], b: readonly Interval[]): Interval[] {
  const both: Interval[] = [];
  for (let i = 0, j = 0; ; ) {
    const [one, other] = [a[i], b[j]];
    if (one === undefined || other === undefined) return both;
    const from = Math.max(one.from, other.from);
    const to = Math.min(one.to, other.to);
    if (to > from) both.push({ from, to });
    if (one.to <= other.to) i += 1;
    else j += 1;
  }
}

/** Both merged. */
export function subtractIntervals(
  whole: readonly Interval[],
  taken: readonly Interval[],
): Interval[] {
  const left: Interval[] = [];
  let next = 0;
  for (const { from, to } of whole) {
    let at = from;
    while ((taken[next]?.to ?? Number.POSITIVE_INFINITY) <= from) next += 1;
    for (let i = next; ; i += 1) {
      const hole = taken[i];
      if (hole === undefined || hole.from >= to) break;
      if (hole.from > at) left.push({ from: at, to: hole.from });
      at = Math.max(at, hole.to);
    }
    if (at < to) left.push({ from: at, to });
  }
  return left;
}

/** Milliseconds. */
export function measureIntervals(intervals: Iterable<Interval>): number {
  let sum = 0;
  for (const { from, to } of intervals) sum += to - from;
  return sum;
}

/** In a merged list. */
export function findFirstAfter(intervals: readonly Interval[], at: number): number {
  let low = 0;
  let high = intervals.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((intervals[middle]?.to ?? Number.POSITIVE_INFINITY) > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** `day`: local, from 1970-01-01. */
type WorkingWindow = Interval & { day: number };

export type WorkingTime = {
  timezone: string;
  /** The first may have begun before `at`. */
  windowsFrom(at: number): Iterable<WorkingWindow>;
  /** In a regular week, milliseconds. */
  longest: number;
};

type WorkingHours = Pick<StrategyProfile, 'working_hours' | 'days_off' | 'days_on'>;

export const minuteMs = 60_000;
const dayMs = 86_400_000;
const horizonDays = 3660;
const weekdays: Weekday[] = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

/** Minutes after midnight; may end the next day. */
type Shift = { from: number; to: number };

/** Hours that end before they begin cross midnight. */
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
      // The previous day's shift may cross midnight.
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

export function measureWorkingDay({
  minutes_a_day,
  working_hours,
}: Pick<StrategyProfile, 'minutes_a_day' | 'working_hours'>): number | null {
  const shifts = findUsual([...readWeek({ working_hours }).values()]);
  return minutes_a_day ?? (measureIntervals(shifts) || null);
}

export function workingTimeWithin(time: WorkingTime, span: Interval): Interval[] {
  const inside: Interval[] = [];
  for (const { from, to } of time.windowsFrom(span.from)) {
    if (from >= span.to) break;
    inside.push({ from: Math.max(from, span.from), to: Math.min(to, span.to) });
  }
  return mergeIntervals(inside);
}

export function workingMinutesWithin(time: WorkingTime, span: Interval): number {
  return measureIntervals(workingTimeWithin(time, span)) / minuteMs;
}

/** From 1970-01-01. */
export function dayOf(at: number, timezone: string): number {
  const { year, month, day } =
    Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone);
  return Date.UTC(year, month - 1, day) / dayMs;
}

export function startOfDay(day: number, timezone: string): number {
  return toInstant(day, 0, timezone);
}

/** `2026-03-14`. */
export function printDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

function weekdayOf(day: number): Weekday {
  return weekdays[new Date(day * dayMs).getUTCDay()] ?? 'SU';
}

/** Skipped times move after the gap; repeated ones are the first. */
function toInstant(day: number, minutes: number, timezone: string): number {
  const later = Math.floor(minutes / 1440);
  const date = Temporal.PlainDate.from(printDay(day + later));
  const rest = minutes - later * 1440;
  return date.toZonedDateTime({
    timeZone: timezone,
    plainTime: { hour: Math.floor(rest / 60), minute: rest % 60 },
  }).epochMilliseconds;
}

function readShift(from: string, to: string): Shift | null {
  const [begin, end] = [readClock(from), readClock(to)];
  if (begin === end || begin >= 1440) return null;
  return { from: begin, to: end > begin ? end : end + 1440 };
}

function readClock(text: string): number {
  return Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));
}

/** For extra days: the hours of most weekdays. */
function findUsual(days: Shift[][]): Shift[] {
  const counted = new Map<string, { count: number; shifts: Shift[] }>();
  for (const shifts of days) {
    const key = JSON.stringify(shifts);
    counted.set(key, { count: (counted.get(key)?.count ?? 0) + 1, shifts });
  }
  return [...counted.values()].sort((a, b) => b.count - a.count)[0]?.shifts ?? [];
}

function findLongest(week: Map<Weekday, Shift[]>): number {
  // Two weeks show a stretch across a weekend.
  const shifts = Array.from({ length: 14 }, (_, day) =>
    (week.get(weekdays[day % 7] ?? 'SU') ?? []).map(({ from, to }) => ({
      from: from + day * 1440,
      to: to + day * 1440,
    })),
  ).flat();
  return Math.max(0, ...mergeIntervals(shifts).map(({ from, to }) => (to - from) * minuteMs));
}
