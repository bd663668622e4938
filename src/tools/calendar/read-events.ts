// Reads an ICS file's events in a range, in a thread.
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { shorten } from '#domain/words.ts';
import { toLocalIso, toMoment } from '#timeline/recurrence.ts';
import { type Component, propertyOf, readComponents } from './components.ts';
import { readContentLines, readText } from './content-lines.ts';
import { EventError, type ZoneFinder } from './event-times.ts';
import { expandEvent, type Occurrence } from './occurrences.ts';
import { openIcsText } from './text-bytes.ts';
import { describedZone, findZoneName, namedZone, type Zone } from './zones.ts';

export const CalendarEvent = z.strictObject({
  uid: z.string(),
  title: z.string(),
  start: z.string().describe("ISO 8601 with the reader's offset; a date alone for whole days."),
  end: z.string(),
  all_day: z.boolean(),
  busy: z.boolean().describe('false: the time stays free, as on a birthday.'),
  location: z.string().nullable(),
  calendar: z.string(),
});
export type CalendarEvent = z.output<typeof CalendarEvent>;

export type Range = { from: number; to: number; timezone: string };

export type ReadEvents = { events: CalendarEvent[]; complete: boolean; problems: string[] };

const maxEvents = 500;
const maxProblems = 20;
const dayMs = 86_400_000;
const expandMs = 3000;

class Problems {
  readonly #said = new Map<string, number>();
  report(line: number, reason: string): void {
    const text = `Line ${line}: ${shorten(reason, 300)}.`;
    if (!this.#said.has(text)) this.#said.set(text, line);
  }
  list(): string[] {
    const all = [...this.#said].sort(([, a], [, b]) => a - b).map(([text]) => text);
    return all.length <= maxProblems
      ? all
      : [...all.slice(0, maxProblems), `And ${all.length - maxProblems} more lines.`];
  }
}

export function parseIcs(bytes: Buffer, name: string) {
  const { bytes: text, decode } = openIcsText(bytes, name);
  const { top, bad } = readComponents(readContentLines(text, decode));
  const calendars = top.filter(({ kind }) => kind === 'VCALENDAR');
  if (calendars.length === 0)
    throw new CountersignError(
      'tool_failed',
      `${name} is not an ICS calendar: it has no BEGIN:VCALENDAR.`,
    );
  return { calendars, bad };
}

/** @throws `tool_failed` if not a calendar */
export function readEvents(bytes: Buffer, calendar: string, range: Range): ReadEvents {
  const { calendars, bad } = parseIcs(bytes, calendar);
  const problems = new Problems();
  for (const { line, reason } of bad) problems.report(line, reason);
  const found: { at: number; event: CalendarEvent }[] = [];
  let complete = true;
  const zoneOf = createZoneFinder(calendars, range.timezone, problems);
  const window = { from: range.from - dayMs, to: range.to + dayMs };
  const deadline = performance.now() + expandMs;
  for (const { event, changes } of groupEvents(calendars, problems)) {
    const isLate = performance.now() > deadline;
    if (isLate && event !== null && propertyOf(event, 'RRULE') !== null) {
      complete = false;
      problems.report(
        event.line,
        'the calendar takes too long to work out; this event and later ones that repeat are left out',
      );
      continue;
    }
    try {
      const expanded = expandEvent(event, changes, {
        zoneOf,
        window,
        limit: maxEvents,
        report: (line, reason) => problems.report(line, reason),
      });
      complete &&= expanded.complete;
      for (const occurrence of expanded.occurrences) {
        const event = describe(occurrence, calendar, range);
        if (event !== null) found.push(event);
      }
    } catch (error) {
      if (!(error instanceof EventError)) throw error;
      problems.report(error.line, `${error.message}; the event was left out`);
    }
  }
  found.sort((a, b) => a.at - b.at);
  return {
    events: found.slice(0, maxEvents).map(({ event }) => event),
    complete: complete && found.length <= maxEvents,
    problems: problems.list(),
  };
}

function createZoneFinder(calendars: Component[], reader: string, problems: Problems): ZoneFinder {
  const described = new Map(
    calendars
      .flatMap(({ inside }) => inside)
      .filter(({ kind }) => kind === 'VTIMEZONE')
      .map((zone) => [propertyOf(zone, 'TZID')?.value.trim().replaceAll('"', '') ?? '', zone]),
  );
  const known = new Map<string | null, Zone | null>([[null, namedZone(reader)]]);
  const find = (tzid: string): Zone | null => {
    const name = findZoneName(tzid);
    if (name !== null) return namedZone(name);
    const component = described.get(tzid);
    if (component === undefined) return null;
    const location = findZoneName(propertyOf(component, 'X-LIC-LOCATION')?.value ?? '');
    return location === null ? describedZone(component) : namedZone(location);
  };
  return (tzid, line) => {
    const zone = known.get(tzid) ?? (known.has(tzid) || tzid === null ? null : find(tzid));
    known.set(tzid, zone);
    if (zone !== null) return zone;
    problems.report(
      line,
      `the zone ${quoteWords(tzid ?? '', 100)} is not known; the time is read as one of ${reader}`,
    );
    return namedZone(reader);
  };
}

type Group = { event: Component | null; changes: Component[] };

const isChange = (event: Component) => propertyOf(event, 'RECURRENCE-ID') !== null;
const sequenceOf = (event: Component) => Number(propertyOf(event, 'SEQUENCE')?.value) || 0;
const stampOf = (event: Component) =>
  (propertyOf(event, 'LAST-MODIFIED') ?? propertyOf(event, 'DTSTAMP'))?.value ?? '';

/** Drops versions with a lower sequence, or the newest's start. */
function keepNewest(events: Component[], problems: Problems): Component[] {
  const [newest] = events.toSorted(
    (a, b) => sequenceOf(b) - sequenceOf(a) || (stampOf(a) < stampOf(b) ? 1 : -1),
  );
  if (newest === undefined || events.length === 1) return events;
  const start = propertyOf(newest, 'DTSTART')?.value;
  return events.filter((event) => {
    const isOlder =
      event !== newest &&
      (sequenceOf(event) < sequenceOf(newest) || propertyOf(event, 'DTSTART')?.value === start);
    if (isOlder)
      problems.report(
        event.line,
        `a newer version of the event is on line ${newest.line}; this one is left out`,
      );
    return !isOlder;
  });
}

function groupEvents(calendars: Component[], problems: Problems): Group[] {
  const events = calendars.flatMap(({ inside }) => inside).filter(({ kind }) => kind === 'VEVENT');
  const uidOf = (event: Component) =>
    propertyOf(event, 'UID')?.value.trim() ?? `line ${event.line}`;
  return [...Map.groupBy(events, uidOf).values()].flatMap((own): Group[] => {
    const masters = keepNewest(
      own.filter((event) => !isChange(event)),
      problems,
    );
    const byId = Map.groupBy(
      own.filter(isChange),
      (event) => propertyOf(event, 'RECURRENCE-ID')?.value,
    );
    const changes = [...byId.values()].flatMap((same) => keepNewest(same, problems));
    const [first = null, ...others] = masters;
    return [{ event: first, changes }, ...others.map((event) => ({ event, changes: [] }))];
  });
}

function describe(
  { of, isDate, start, end }: Occurrence,
  calendar: string,
  { from, to, timezone }: Range,
): { at: number; event: CalendarEvent } | null {
  const textOf = (name: string) => readText(propertyOf(of, name)?.value ?? '') || null;
  const [at, until] = isDate
    ? [start, end].map((day) => toMoment(dateOf(day), timezone).getTime())
    : [start, end];
  if (at === undefined || until === undefined) return null;
  const overlaps = at < to && (until > from || at >= from);
  if (!overlaps || textOf('STATUS')?.toUpperCase() === 'CANCELLED') return null;
  return {
    at,
    event: {
      uid: textOf('UID') ?? '',
      title: textOf('SUMMARY') ?? '(no title)',
      start: isDate ? dateOf(start) : toLocalIso(new Date(at), timezone),
      end: isDate ? dateOf(end) : toLocalIso(new Date(until), timezone),
      all_day: isDate,
      // RFC 5545, 3.8.2.7: opaque by default.
      busy: textOf('TRANSP')?.toUpperCase() !== 'TRANSPARENT',
      location: textOf('LOCATION'),
      calendar,
    },
  };
}

function dateOf(day: number): string {
  return new Date(day).toISOString().slice(0, 10);
}
