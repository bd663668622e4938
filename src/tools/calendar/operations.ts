// calendar_read and calendar_add: ICS calendars of the workspace or of the configuration.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Operation, ToolContext } from '#domain/tool.ts';
import { countOf } from '#domain/words.ts';
import { defineOperation, text } from '../define-operation.ts';
import { throwIfAborted } from '../failures.ts';
import { describeLargeOutput, describeOutput } from '../output-schema.ts';
import type { TimePort } from '../ports.ts';
import { findPathProblem } from '../workspace/paths.ts';
import { addEvent, type NewEvent } from './add-event.ts';
import { type CalendarPlaces, defaultCalendar } from './places.ts';
import { CalendarEvent, readEvents } from './read-events.ts';

const dayMs = 86_400_000;
const Timezone = text(60, 'IANA zone; left out: the person’s own.').optional();

const ReadArguments = z.strictObject({
  calendar: text(2000, 'A configured calendar, an ICS file, or an https address.').optional(),
  from: text(60, 'First moment, such as 2026-05-04; left out: now.').optional(),
  to: text(60, 'Last moment; left out: 7 days later.').optional(),
  timezone: Timezone,
});

const AddArguments = z.strictObject({
  title: text(500, 'What the event is called.'),
  start: text(60, 'Begin, such as 2026-05-04T09:30; a date alone for a whole day.'),
  end: text(60, 'End; left out: duration_minutes later.').optional(),
  duration_minutes: z.number().int().min(1).max(525_600).default(60),
  calendar: text(2000, 'A configured calendar or an ICS file.').default(defaultCalendar),
  timezone: Timezone,
  location: text(500, 'Where.').optional(),
  description: z.string().max(10_000).optional(),
  rrule: text(500, 'Rule such as FREQ=WEEKLY;BYDAY=MO.').optional(),
});

export function createCalendarOperations(
  places: CalendarPlaces,
  configured: readonly string[],
  times: TimePort,
  clock: Clock,
): Operation[] {
  const checker = (addresses: boolean) => (args: { [key: string]: unknown }) =>
    findProblem(args, configured, addresses, times);
  const checkAdd = checker(false);
  return [
    defineOperation({
      tool: 'calendar',
      operation: 'read',
      description: 'List the events of a calendar in a range of time, recurring ones included.',
      effect: 'read',
      destructive: false,
      targetArgument: 'calendar',
      schema: ReadArguments,
      output: describeLargeOutput(
        z.strictObject({
          events: z.array(CalendarEvent),
          count: z.number().int(),
          timezone: z.string(),
          truncated: z.boolean().describe('There are more events.'),
        }),
      ),
      check: checker(true),
      async run(args, context) {
        throwIfAborted(context.signal);
        const timezone = args.timezone ?? context.timezone;
        const from = args.from === undefined ? clock.now() : times.toMoment(args.from, timezone);
        const to =
          args.to === undefined
            ? new Date(from.getTime() + 7 * dayMs)
            : times.toMoment(args.to, timezone);
        if (to <= from)
          throw new CountersignError('invalid_arguments', 'The range ends before it begins.');
        const names = args.calendar === undefined ? places.names() : [args.calendar];
        const events: CalendarEvent[] = [];
        let complete = true;
        for (const name of names) {
          const ics = await places.read(name, context.signal);
          if (ics === null && args.calendar !== undefined)
            throw new CountersignError('tool_failed', `There is no calendar ${name}.`);
          if (ics === null) continue;
          const read = readEvents(ics, name, { from, to, timezone }, times);
          events.push(...read.events);
          complete &&= read.complete;
        }
        const range = `${times.formatMoment(from, timezone)} to ${times.formatMoment(to, timezone)}`;
        return {
          summary: `${countOf(events.length, 'event')} from ${range}.`,
          data: { events, count: events.length, timezone, truncated: !complete },
        };
      },
    }),
    defineOperation({
      tool: 'calendar',
      operation: 'add',
      description: 'Add an event to a calendar file.',
      effect: 'idempotent',
      destructive: false,
      targetArgument: 'calendar',
      schema: AddArguments,
      output: describeOutput(
        z.strictObject({
          uid: z.string(),
          calendar: z.string(),
          title: z.string(),
          start: z.string(),
          end: z.string(),
        }),
      ),
      check: checkAdd,
      async run(args, context) {
        throwIfAborted(context.signal);
        const problem = checkAdd(args);
        if (problem !== null) throw new CountersignError(problem.code, problem.message);
        const event = toEvent(args, context, times);
        let added = true;
        const add = (ics: string | null) => {
          const changed = addEvent(ics, args.calendar, event, clock.now(), times);
          added = changed !== null;
          return changed;
        };
        await places.update(args.calendar, add, context.signal);
        const when = times.formatMoment(event.start, event.timezone);
        return {
          summary: `${added ? 'Added' : 'Already there:'} "${args.title}" on ${when} in ${args.calendar}.`,
          data: {
            uid: event.uid,
            calendar: args.calendar,
            title: args.title,
            start: times.toLocalIso(event.start, event.timezone),
            end: times.toLocalIso(event.end, event.timezone),
          },
        };
      },
    }),
  ];
}

function findProblem(
  args: { [key: string]: unknown },
  configured: readonly string[],
  addresses: boolean,
  times: TimePort,
) {
  const invalid = (message: string | null) =>
    message === null ? null : { code: 'invalid_arguments' as const, message };
  const { calendar, timezone, rrule } = args;
  if (typeof timezone === 'string' && times.checkTimezone(timezone) !== null)
    return invalid(times.checkTimezone(timezone));
  if (typeof rrule === 'string' && times.checkRule(rrule) !== null)
    return invalid(times.checkRule(rrule));
  if (typeof calendar !== 'string' || configured.includes(calendar)) return null;
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(calendar)) return findPathProblem(calendar);
  if (addresses && /^(https|webcal):/i.test(calendar)) return null;
  return {
    code: 'address_not_allowed' as const,
    message: addresses
      ? 'Only https addresses can be read as calendars.'
      : 'A calendar at a web address is read-only. Add to a file instead.',
  };
}

function toEvent(
  args: z.output<typeof AddArguments>,
  context: ToolContext,
  times: TimePort,
): NewEvent {
  const timezone = args.timezone ?? context.timezone;
  const allDay = /^\d{4}-\d\d-\d\d$/.test(args.start);
  const start = times.toMoment(args.start, timezone);
  const end =
    args.end !== undefined
      ? times.toMoment(args.end, timezone)
      : allDay
        ? toNextDay(args.start, timezone, times)
        : new Date(start.getTime() + args.duration_minutes * 60_000);
  if (end <= start)
    throw new CountersignError('invalid_arguments', 'The event ends before it begins.');
  const key = createHash('sha256').update(context.idempotencyKey).digest('hex').slice(0, 32);
  return {
    uid: `${key}@countersign`,
    title: args.title,
    start,
    end,
    allDay,
    timezone,
    location: args.location ?? null,
    description: args.description ?? null,
    rrule: args.rrule === undefined ? null : times.readRule(args.rrule),
  };
}

function toNextDay(date: string, timezone: string, times: TimePort): Date {
  const next = new Date(times.toMoment(date, 'UTC').getTime() + dayMs);
  return times.toMoment(next.toISOString().slice(0, 10), timezone);
}
