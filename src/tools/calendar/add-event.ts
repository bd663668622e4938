// Adds one event to an ICS text. The same UID is added once, so a repeated step changes nothing.
import ICAL from 'ical.js';
import type { TimePort } from '../ports.ts';
import { type JCal, toTimezoneComponent } from './ics-time.ts';
import { parseCalendar } from './read-events.ts';

export type NewEvent = {
  uid: string;
  title: string;
  start: Date;
  end: Date;
  /** Whole days: start and end are local midnights. */
  allDay: boolean;
  timezone: string;
  location: string | null;
  description: string | null;
  rrule: string | null;
};

/** The calendar with the event in it; null when it is already there. `ics` null: a new calendar. */
export function addEvent(
  ics: string | null,
  name: string,
  event: NewEvent,
  now: Date,
  times: TimePort,
): string | null {
  const calendars = ics === null || ics.trim() === '' ? [newCalendar()] : parseCalendar(ics, name);
  const present = calendars
    .flatMap((calendar) => calendar.getAllSubcomponents('vevent'))
    .some((component) => component.getFirstPropertyValue('uid') === event.uid);
  const [calendar] = calendars;
  if (present || calendar === undefined) return null;
  const needsZone = !event.allDay && event.timezone !== 'UTC';
  if (needsZone && calendar.getTimeZoneByID(event.timezone) === null)
    calendar.addSubcomponent(new ICAL.Component(toTimezoneComponent(event.timezone, event.start)));
  calendar.addSubcomponent(new ICAL.Component(toComponent(event, now, times)));
  return `${calendars.map((component) => component.toString()).join('\r\n')}\r\n`;
}

function newCalendar(): ICAL.Component {
  const calendar: JCal = [
    'vcalendar',
    [
      ['version', {}, 'text', '2.0'],
      ['prodid', {}, 'text', '-//Countersign//EN'],
    ],
    [],
  ];
  return new ICAL.Component(calendar);
}

function toComponent(event: NewEvent, now: Date, times: TimePort): JCal {
  const local = (moment: Date, zone: string) => times.toLocalIso(moment, zone).slice(0, 19);
  const time = (name: string, moment: Date): unknown[] => {
    if (event.allDay) return [name, {}, 'date', local(moment, event.timezone).slice(0, 10)];
    if (event.timezone === 'UTC') return [name, {}, 'date-time', `${local(moment, 'UTC')}Z`];
    return [name, { tzid: event.timezone }, 'date-time', local(moment, event.timezone)];
  };
  const text = (name: string, value: string | null): unknown[][] =>
    value === null ? [] : [[name, {}, 'text', toPlainText(value)]];
  return [
    'vevent',
    [
      ['uid', {}, 'text', event.uid],
      ['dtstamp', {}, 'date-time', `${local(now, 'UTC')}Z`],
      time('dtstart', event.start),
      time('dtend', event.end),
      ...text('summary', event.title),
      ...text('location', event.location),
      ...text('description', event.description),
      ...(event.rrule === null
        ? []
        : [['rrule', {}, 'recur', ICAL.Recur.fromString(event.rrule).toJSON()]]),
    ],
    [],
  ];
}

/** Line breaks stay; other control characters have no place in a calendar. */
function toPlainText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
  return text.replace(/\r\n?/g, '\n').replace(/[\u0000-\u0009\u000B-\u001F\u007F]/g, ' ');
}
