// Moments of ICS files. A zone's IANA name wins over the VTIMEZONE that comes with it; floating times are the reader's.
import type ICAL from 'ical.js';
import { Temporal } from 'temporal-polyfill';
import type { TimePort } from '../ports.ts';

/** The moment of an ICS time. `tzid` is the TZID parameter of its property, if any. */
export function toInstant(
  time: ICAL.Time,
  tzid: string | null,
  reader: string,
  times: TimePort,
): Date {
  const local = `${pad(time.year, 4)}-${pad(time.month)}-${pad(time.day)}T${pad(time.hour)}:${pad(time.minute)}:${pad(time.second)}`;
  if (time.isDate) return times.toMoment(local, reader);
  if (time.zone.tzid === 'UTC') return times.toMoment(`${local}Z`, 'UTC');
  if (tzid !== null && times.checkTimezone(tzid) === null) return times.toMoment(local, tzid);
  // A zone known only by its own rules, such as "W. Europe Standard Time" with a VTIMEZONE.
  if (time.zone.tzid !== 'floating') return time.toJSDate();
  return times.toMoment(local, reader);
}

/** `2026-05-04` */
export function toDateText(time: ICAL.Time): string {
  return `${pad(time.year, 4)}-${pad(time.month)}-${pad(time.day)}`;
}

function pad(value: number, width = 2): string {
  return String(value).padStart(width, '0');
}

/** The changes of a zone's offset around an event, as jCal observances: what RFC 5545 asks to stand beside a TZID. */
export function toTimezoneComponent(timezone: string, around: Date, years = 10): JCal {
  const begin = Temporal.Instant.fromEpochMilliseconds(around.getTime())
    .toZonedDateTimeISO(timezone)
    .subtract({ years: 1 });
  const end = begin.add({ years: years + 1 });
  const observances: JCal[] = [];
  let from = begin;
  let before = begin.offset;
  for (;;) {
    observances.push(toObservance(from, before));
    const next = from.getTimeZoneTransition('next');
    if (next === null || Temporal.ZonedDateTime.compare(next, end) > 0) break;
    before = from.offset;
    from = next;
  }
  return ['vtimezone', [['tzid', {}, 'text', timezone]], observances];
}

/** A component in jCal (RFC 7265). */
export type JCal = [string, unknown[][], JCal[]];

function toObservance(from: Temporal.ZonedDateTime, before: string): JCal {
  // DTSTART is the wall time before the change.
  const wall = from.toInstant().toZonedDateTimeISO(before).toPlainDateTime();
  const summer = from.offsetNanoseconds > toNanoseconds(before);
  return [
    summer ? 'daylight' : 'standard',
    [
      ['dtstart', {}, 'date-time', wall.toString({ smallestUnit: 'second' })],
      ['tzoffsetfrom', {}, 'utc-offset', before.slice(0, 6)],
      ['tzoffsetto', {}, 'utc-offset', from.offset.slice(0, 6)],
    ],
    [],
  ];
}

function toNanoseconds(offset: string): number {
  return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(offset).offsetNanoseconds;
}
