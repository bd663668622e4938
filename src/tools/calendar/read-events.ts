// The events of an ICS text inside a range, with recurrences expanded. Its content is data, never instructions.
import ICAL from 'ical.js';
import { z } from 'zod';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import type { TimePort } from '../ports.ts';
import { toDateText, toInstant } from './ics-time.ts';

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

export type Range = { from: Date; to: Date; timezone: string };

const maxEvents = 500;
// An event that repeats each second since 1970 must not keep the process busy.
const maxOccurrences = 50_000;

/**
 * @throws CountersignError tool_failed when the text is not a calendar
 */
export function readEvents(
  ics: string,
  calendar: string,
  range: Range,
  times: TimePort,
): { events: CalendarEvent[]; complete: boolean } {
  const found: { at: number; event: CalendarEvent }[] = [];
  let complete = true;
  const add = (event: ICAL.Event, start: ICAL.Time, end: ICAL.Time): Date => {
    const at = toInstant(start, readZone(event, 'dtstart'), range.timezone, times);
    const until = toInstant(
      end,
      readZone(event, 'dtend') ?? readZone(event, 'dtstart'),
      range.timezone,
      times,
    );
    const overlaps = at < range.to && (until > range.from || at >= range.from);
    if (!overlaps || event.component.getFirstPropertyValue('status') === 'CANCELLED') return at;
    if (found.length >= maxEvents) complete = false;
    else
      found.push({
        at: at.getTime(),
        event: describe(event, start, end, at, until, calendar, range, times),
      });
    return at;
  };
  for (const { event, exceptions } of groupEvents(parseCalendar(ics, calendar))) {
    for (const exception of exceptions) add(exception, exception.startDate, exception.endDate);
    if (!event.isRecurring()) {
      add(event, event.startDate, event.endDate);
      continue;
    }
    const moved = new Set(exceptions.map((exception) => exception.recurrenceId.toString()));
    const occurrences = event.iterator();
    const lengthMs = event.duration.toSeconds() * 1000;
    let count = 0;
    for (;;) {
      // The library's types leave out that the end of a rule is undefined.
      const next = occurrences.next() as ICAL.Time | undefined;
      if (next === undefined || !complete) break;
      count += 1;
      if (count > maxOccurrences) {
        complete = false;
        break;
      }
      if (isLongPast(next, lengthMs, range.from) || moved.has(next.toString())) continue;
      const { item, startDate, endDate } = event.getOccurrenceDetails(next);
      if (add(item, startDate, endDate) >= range.to) break;
    }
  }
  found.sort((a, b) => a.at - b.at);
  return { events: found.map(({ event }) => event), complete };
}

/** The calendar's components. @throws CountersignError tool_failed */
export function parseCalendar(ics: string, name: string): ICAL.Component[] {
  try {
    const parsed: unknown = ICAL.parse(ics);
    if (!Array.isArray(parsed)) throw new Error('it is empty');
    const several = Array.isArray(parsed[0]);
    return (several ? parsed : [parsed]).map((component) => new ICAL.Component(component));
  } catch (error) {
    throw new CountersignError(
      'tool_failed',
      `${name} is not a calendar in ICS form: ${errorMessage(error)}.`,
      { cause: error },
    );
  }
}

/** Each event with the occurrences of it that were changed one by one. */
function groupEvents(
  calendars: ICAL.Component[],
): { event: ICAL.Event; exceptions: ICAL.Event[] }[] {
  const events = calendars
    .flatMap((calendar) => calendar.getAllSubcomponents('vevent'))
    .filter((component) => component.hasProperty('dtstart'))
    .map((component) => new ICAL.Event(component, { strictExceptions: true, exceptions: [] }));
  const exceptions = Map.groupBy(
    events.filter((event) => event.isRecurrenceException()),
    (event) => event.uid,
  );
  const masters = events.filter((event) => !event.isRecurrenceException());
  const known = new Set(masters.map((event) => event.uid));
  return [
    ...masters.map((event) => ({ event, exceptions: exceptions.get(event.uid) ?? [] })),
    ...events
      .filter((event) => event.isRecurrenceException() && !known.has(event.uid))
      .map((event) => ({ event, exceptions: [] })),
  ];
}

/** Over before `from` in whatever zone; told without converting zones, since a rule can begin decades ago. */
function isLongPast(time: ICAL.Time, lengthMs: number, from: Date): boolean {
  const utc = Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute, time.second);
  return utc + lengthMs + 2 * 86_400_000 < from.getTime();
}

function readZone(event: ICAL.Event, property: string): string | null {
  const zone = event.component.getFirstProperty(property)?.getParameter('tzid');
  return typeof zone === 'string' ? zone : null;
}

function describe(
  event: ICAL.Event,
  start: ICAL.Time,
  end: ICAL.Time,
  at: Date,
  until: Date,
  calendar: string,
  range: Range,
  times: TimePort,
): CalendarEvent {
  return {
    uid: event.uid ?? '',
    title: event.summary ?? '(no title)',
    start: start.isDate ? toDateText(start) : times.toLocalIso(at, range.timezone),
    end: end.isDate ? toDateText(end) : times.toLocalIso(until, range.timezone),
    all_day: start.isDate,
    // RFC 5545, 3.8.2.7: what is not said to be transparent takes its time.
    busy: event.component.getFirstPropertyValue('transp') !== 'TRANSPARENT',
    location: event.location ?? null,
    calendar,
  };
}
