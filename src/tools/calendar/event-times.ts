// Times of one VEVENT.
import { Temporal } from 'temporal-polyfill';
import { type Component, propertyOf } from './components.ts';
import type { ContentLine } from './content-lines.ts';
import { readLocal, type Zone } from './zones.ts';

/** `wall`: local time as UTC milliseconds. */
export type IcsTime = { wall: number; zone: Zone; isDate: boolean };

/** `tzid` null: floating. `line` is for errors. */
export type ZoneFinder = (tzid: string | null, line: number) => Zone;

export type EventTimes = {
  start: IcsTime;
  endOf(wall: number): { wall: number } | { instant: number };
};

const dayMs = 86_400_000;
const utc: Zone = { toInstant: (wall) => wall, toWall: (instant) => instant };

/** `20260504`, `20260504T090000`, `20260504T070000Z`, or a period's start. */
export function readTimes(
  line: ContentLine,
  zoneOf: ZoneFinder,
): (IcsTime & { end?: string })[] | null {
  // A quoted zone name may contain a colon; a time never does.
  const colon = line.value.lastIndexOf(':');
  const rest = colon === -1 ? '' : `:${line.value.slice(0, colon)}`;
  const named = line.params.get('TZID');
  const tzid = named === undefined ? null : `${named}${rest}`;
  const times = line.value
    .slice(colon + 1)
    .split(',')
    .map((text) => {
      const [value = '', end] = text.trim().split('/', 2);
      const isUtc = /Z$/i.test(value);
      const wall = readLocal(value.replace(/Z$/i, ''));
      if (wall === null) return null;
      const isDate = !/T/i.test(value);
      const zone = isUtc ? utc : zoneOf(isDate ? null : tzid, line.line);
      return { wall, zone, isDate, ...(end === undefined ? {} : { end }) };
    });
  return times.some((one) => one === null) ? null : times.flatMap((one) => one ?? []);
}

export function readTime(line: ContentLine, zoneOf: ZoneFinder): IcsTime {
  const [time] = readTimes(line, zoneOf) ?? [];
  if (time === undefined) throw new EventError(line.line, `${line.name} is not a time`);
  return time;
}

export class EventError extends Error {
  line: number;
  constructor(line: number, reason: string) {
    super(reason);
    this.line = line;
  }
}

export const instantOf = ({ wall, zone }: IcsTime): number => zone.toInstant(wall);

/** @throws EventError without a readable start */
export function readEventTimes(
  event: Component,
  zoneOf: ZoneFinder,
  report: (line: number, reason: string) => void,
): EventTimes {
  const dtstart = propertyOf(event, 'DTSTART');
  if (dtstart === null) throw new EventError(event.line, 'the event has no DTSTART');
  const start = readTime(dtstart, zoneOf);
  const usual = start.isDate ? dayMs : 0;
  const dtend = propertyOf(event, 'DTEND');
  const byUsual = { start, endOf: (wall: number) => ({ wall: wall + usual }) };
  if (dtend !== null) {
    const [end] = readTimes(dtend, zoneOf) ?? [];
    if (end === undefined) {
      report(dtend.line, 'DTEND is not a time; the event is read without an end');
      return byUsual;
    }
    return byEnd(start, end, () => {
      report(dtend.line, 'the event ends before it begins; it is read without an end');
      return byUsual;
    });
  }
  const duration = propertyOf(event, 'DURATION');
  if (duration === null) return byUsual;
  const length = readDuration(duration.value);
  if (length !== null) return { start, endOf: (wall) => addDuration(start, wall, length) };
  report(duration.line, 'DURATION is not a length of time; the event is read without an end');
  return byUsual;
}

function byEnd(start: IcsTime, end: IcsTime, otherwise: () => EventTimes): EventTimes {
  if (start.isDate) {
    const days = Math.ceil((Math.ceil(end.wall / dayMs) * dayMs - start.wall) / dayMs);
    if (days < 0) return otherwise();
    // Some programs end a one-day event on the same day.
    return { start, endOf: (wall) => ({ wall: wall + Math.max(days, 1) * dayMs }) };
  }
  // RFC 5545, 3.8.5.3: with DTEND each occurrence has the same exact duration.
  const exact = instantOf(end) - instantOf(start);
  if (exact < 0) return otherwise();
  return { start, endOf: (wall) => ({ instant: start.zone.toInstant(wall) + exact }) };
}

function readDuration(value: string): Temporal.Duration | null {
  try {
    const duration = Temporal.Duration.from(value.trim().toUpperCase());
    return duration.sign < 0 ? null : duration;
  } catch {
    return null;
  }
}

/** Weeks and days are calendar days; hours and less are exact. */
function addDuration(
  start: IcsTime,
  wall: number,
  length: Temporal.Duration,
): ReturnType<EventTimes['endOf']> {
  const days = (length.weeks * 7 + length.days) * dayMs;
  const exact =
    ((length.hours * 60 + length.minutes) * 60 + length.seconds) * 1000 + length.milliseconds;
  if (start.isDate)
    return { wall: wall + Math.max(days + Math.ceil(exact / dayMs) * dayMs, dayMs) };
  return { instant: start.zone.toInstant(wall + days) + exact };
}

export function endOfPeriod(start: IcsTime, end: string): number | null {
  const length = readDuration(end);
  if (length !== null) {
    const found = addDuration(start, start.wall, length);
    return 'instant' in found ? found.instant : start.zone.toInstant(found.wall);
  }
  const wall = readLocal(end.replace(/Z$/i, ''));
  if (wall === null) return null;
  return /Z$/i.test(end) ? wall : start.zone.toInstant(wall);
}
