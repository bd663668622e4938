// Writes ICS events: one into a file, or many as a calendar.
import { Temporal } from 'temporal-polyfill';
import { CountersignError } from '#domain/errors.ts';
import { toLocalIso } from '#timeline/recurrence.ts';
import { readFields, readUntil } from '#timeline/rule.ts';
import { propertyOf } from './components.ts';
import { writeText } from './content-lines.ts';
import { parseIcs } from './read-events.ts';
import { openIcsText } from './text-bytes.ts';

export type NewEvent = {
  uid: string;
  title: string;
  start: Date;
  end: Date;
  allDay: boolean;
  timezone: string;
  location: string | null;
  description: string | null;
  rrule: string | null;
  sequence?: number;
  status?: 'TENTATIVE' | 'CONFIRMED' | 'CANCELLED';
  url?: string;
};

const emptyCalendar =
  'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Countersign//EN\r\nEND:VCALENDAR\r\n';

/** Keeps all other bytes. Null if the event is there. @param stored null for a new calendar @throws `tool_failed` */
export function addEvent(
  stored: Buffer | null,
  name: string,
  event: NewEvent,
  now: Date,
): Buffer | null {
  const file = stored === null || isBlank(stored) ? Buffer.from(emptyCalendar) : stored;
  const { bytes, encode, toStored } = openIcsText(file, name);
  const { calendars } = parseIcs(file, name);
  const components = calendars.flatMap(({ inside }) => inside);
  if (components.some((one) => propertyOf(one, 'UID')?.value.trim() === event.uid)) return null;
  const at = calendars[0]?.endAt ?? null;
  if (at === null || calendars.some(({ endAt }) => endAt === null))
    throw new CountersignError(
      'tool_failed',
      `${name} was cut off: its END:VCALENDAR is missing. Restore the file, or add to another calendar.`,
    );
  const lineBreak = /\r\n|\n|\r/.exec(bytes.toString('latin1'))?.[0] ?? '\r\n';
  const needsZone = !event.allDay && event.timezone !== 'UTC';
  const hasZone = components.some(
    (one) => one.kind === 'VTIMEZONE' && propertyOf(one, 'TZID')?.value.trim() === event.timezone,
  );
  const lines = [
    ...(needsZone && !hasZone ? writeZone(event.timezone, event.start) : []),
    ...writeEvent(event, now, lineBreak),
  ];
  const added = encode(`${lines.join(lineBreak)}${lineBreak}`);
  return toStored(Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at)]));
}

export function writeCalendar(events: NewEvent[], now: Date): string {
  const [head = '', end = ''] = emptyCalendar.split(/(?=END:)/);
  const zones = Map.groupBy(
    events.filter(({ timezone }) => timezone !== 'UTC'),
    ({ timezone }) => timezone,
  );
  const lines = [
    ...[...zones].flatMap(([timezone, own]) => {
      const starts = own.map(({ start }) => start.getTime());
      return writeZone(timezone, new Date(Math.min(...starts)));
    }),
    ...events.flatMap((event) => writeEvent(event, now, '\r\n')),
  ];
  return head + lines.map((line) => `${line}\r\n`).join('') + end;
}

const isBlank = (bytes: Buffer) => bytes.length < 1000 && bytes.toString('utf8').trim() === '';

const compact = (local: string) => local.slice(0, 19).replaceAll(/[-:]/g, '');
const toUtc = (moment: Date) => `${compact(toLocalIso(moment, 'UTC'))}Z`;

function writeEvent(event: NewEvent, now: Date, lineBreak: string): string[] {
  const { timezone, allDay, rrule } = event;
  const time = (name: string, moment: Date): string => {
    const local = compact(toLocalIso(moment, timezone));
    if (allDay) return `${name};VALUE=DATE:${local.slice(0, 8)}`;
    return timezone === 'UTC' ? `${name}:${local}Z` : `${name};TZID=${timezone}:${local}`;
  };
  const text = (name: string, value: string | null) =>
    value === null ? [] : [writeText(name, value, lineBreak)];
  return [
    'BEGIN:VEVENT',
    `UID:${event.uid}`,
    `DTSTAMP:${toUtc(now)}`,
    time('DTSTART', event.start),
    time('DTEND', event.end),
    ...text('SUMMARY', event.title),
    ...text('LOCATION', event.location),
    ...text('DESCRIPTION', event.description),
    ...(rrule === null ? [] : [`RRULE:${writeRule(rrule, event)}`]),
    ...(event.sequence === undefined ? [] : [`SEQUENCE:${event.sequence}`]),
    ...(event.status === undefined ? [] : [`STATUS:${event.status}`]),
    ...(event.url === undefined ? [] : [`URL:${event.url}`]),
    'END:VEVENT',
  ];
}

/** RFC 5545: UNTIL is a date for whole days, else in UTC. */
function writeRule(rrule: string, { timezone, allDay }: NewEvent): string {
  const fields = readFields(rrule);
  const until = fields.get('UNTIL');
  if (until !== undefined) {
    const end = readUntil(until, timezone);
    const moment = new Date(end.epochMilliseconds);
    fields.set(
      'UNTIL',
      allDay ? compact(end.toPlainDateTime().toString()).slice(0, 8) : toUtc(moment),
    );
  }
  return [...fields].map(([name, value]) => `${name}=${value}`).join(';');
}

/** RFC 5545 requires offset changes with a TZID. */
function writeZone(timezone: string, around: Date, years = 10): string[] {
  const begin = Temporal.Instant.fromEpochMilliseconds(around.getTime())
    .toZonedDateTimeISO(timezone)
    .subtract({ years: 1 });
  const end = begin.add({ years: years + 1 });
  const lines = ['BEGIN:VTIMEZONE', `TZID:${timezone}`];
  let from = begin;
  let before = begin.offset;
  for (;;) {
    lines.push(...writeObservance(from, before));
    const next = from.getTimeZoneTransition('next');
    if (next === null || Temporal.ZonedDateTime.compare(next, end) > 0) break;
    before = from.offset;
    from = next;
  }
  return [...lines, 'END:VTIMEZONE'];
}

function writeObservance(from: Temporal.ZonedDateTime, before: string): string[] {
  // DTSTART is the wall time before the change.
  const wall = from.toInstant().toZonedDateTimeISO(before);
  const kind = from.offsetNanoseconds > wall.offsetNanoseconds ? 'DAYLIGHT' : 'STANDARD';
  const offset = (text: string) => text.slice(0, 6).replace(':', '');
  return [
    `BEGIN:${kind}`,
    `DTSTART:${compact(wall.toPlainDateTime().toString({ smallestUnit: 'second' }))}`,
    `TZOFFSETFROM:${offset(before)}`,
    `TZOFFSETTO:${offset(from.offset)}`,
    `END:${kind}`,
  ];
}
