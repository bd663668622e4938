// calendar_read and calendar_add.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '#domain/clock.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import type { Operation, ToolContext } from '#domain/tool.ts';
import { countOf, shorten } from '#domain/words.ts';
import { describeLeftOut } from '#timeline/left-out.ts';
import {
  checkTimezone,
  formatMoment,
  nextOccurrences,
  toLocalIso,
  toMoment,
  toNextDay,
} from '#timeline/recurrence.ts';
import { checkRule, readFields, readRule } from '#timeline/rule.ts';
import { defineOperation, text } from '../define-operation.ts';
import { throwIfAborted } from '../failures.ts';
import { describeLargeOutput, describeOutput } from '../output-schema.ts';
import { findPathProblem } from '../workspace/sandbox.ts';
import type { NewEvent } from './add-event.ts';
import type { IcsWork } from './ics-work.ts';
import { type CalendarPlaces, defaultCalendar, type NamedCalendar } from './places.ts';
import { CalendarEvent, type Range, type ReadEvents } from './read-events.ts';

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
  work: IcsWork,
  clock: Clock,
): Operation[] {
  const checker = (addresses: boolean) => (args: { [key: string]: unknown }) =>
    findProblem(args, configured, addresses);
  const checkAdd = checker(false);
  /** An unreadable calendar fails the call only if named. */
  const readOne = async (
    place: NamedCalendar,
    range: Range,
    named: boolean,
    signal: AbortSignal,
  ): Promise<ReadEvents> => {
    const { calendar, label } = place;
    const nothing = { events: [], complete: true, problems: [] };
    try {
      const ics = await places.read(place, signal);
      if (ics === null && named)
        throw new CountersignError('tool_failed', `There is no calendar ${label}.`);
      const read = ics === null ? nothing : await work.read(ics, label, range, signal);
      return { ...read, problems: read.problems.map((problem) => `${label}: ${problem}`) };
    } catch (error) {
      if (named || signal.aborted) throw error;
      // An error may quote the address.
      const why = label === calendar ? errorMessage(error) : 'Its address returned no calendar.';
      return { ...nothing, problems: [`${label}: ${why}`] };
    }
  };
  const findRefusal = async ({ calendar }: { calendar?: unknown }, user: string) =>
    typeof calendar === 'string' ? places.findRefusal(calendar, user) : null;
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
          calendars: z.array(z.string()).describe('The calendars read.'),
          truncated: z.boolean().describe('There are more events.'),
          problems: z
            .array(z.string())
            .optional()
            .describe('Calendars, and lines of them, that could not be read as they are written.'),
        }),
      ),
      check: checker(true),
      findRefusal,
      async run(args, context) {
        throwIfAborted(context.signal);
        const timezone = args.timezone ?? context.timezone;
        const from = args.from === undefined ? clock.now() : toMoment(args.from, timezone);
        const to =
          args.to === undefined
            ? new Date(from.getTime() + 7 * dayMs)
            : toMoment(args.to, timezone);
        if (to <= from)
          throw new CountersignError('invalid_arguments', 'The range ends before it begins.');
        const { user, busyOf } = context;
        const refusal = await findRefusal(args, user);
        if (refusal !== null) throw new CountersignError('not_allowed', refusal);
        const read =
          args.calendar === undefined
            ? await places.list(user, busyOf)
            : [{ calendar: args.calendar, label: args.calendar, isPersonal: false }];
        const range = { from: from.getTime(), to: to.getTime(), timezone };
        const reads = await Promise.all(
          read.map(async (one) => {
            const found = await readOne(one, range, args.calendar !== undefined, context.signal);
            return one.isPersonal ? { ...found, events: found.events.map(hideWords) } : found;
          }),
        );
        const events = reads.flatMap((one) => one.events);
        const problems = reads.flatMap((one) => one.problems);
        const span = `${formatMoment(from, timezone)} to ${formatMoment(to, timezone)}`;
        const unread = problems.length === 0 ? '' : ` Not all could be read: ${problems.join(' ')}`;
        return {
          summary: shorten(`${countOf(events.length, 'event')} from ${span}.${unread}`, 1000),
          data: {
            events,
            count: events.length,
            timezone,
            calendars: read.map(({ label }) => label),
            truncated: reads.some(({ complete }) => !complete),
            ...(problems.length === 0 ? {} : { problems }),
          },
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
        const event = toEvent(args, context);
        let added = true;
        const add = async (ics: Buffer | null) => {
          const changed = await work.add(ics, args.calendar, event, clock.now(), context.signal);
          added = changed !== null;
          return changed;
        };
        await places.update(args.calendar, add, context.signal);
        const when = formatMoment(event.start, event.timezone);
        const { rrule, timezone, start: startsAt } = event;
        const leftOut = rrule === null ? '' : describeLeftOut({ rrule, timezone, startsAt });
        return {
          summary: `${added ? 'Added' : 'Already there:'} "${args.title}" on ${when} in ${args.calendar}.${leftOut}`,
          data: {
            uid: event.uid,
            calendar: args.calendar,
            title: args.title,
            start: toLocalIso(event.start, event.timezone),
            end: toLocalIso(event.end, event.timezone),
          },
        };
      },
    }),
  ];
}

/** More people read a plan than a calendar. Its owner reads titles by naming it. */
const hideWords = (event: CalendarEvent): CalendarEvent => ({
  ...event,
  title: '',
  location: null,
});

function findProblem(
  args: { [key: string]: unknown },
  configured: readonly string[],
  addresses: boolean,
) {
  const invalid = (message: string | null) =>
    message === null ? null : { code: 'invalid_arguments' as const, message };
  const { calendar, timezone, rrule } = args;
  if (typeof timezone === 'string' && checkTimezone(timezone) !== null)
    return invalid(checkTimezone(timezone));
  if (typeof rrule === 'string') {
    const problem =
      checkRule(rrule) ??
      (readFields(rrule).has('EXDATE')
        ? 'Events cannot have EXDATE. Add the event without it, then delete those days in the calendar.'
        : findNoOccurrence(args, rrule));
    if (problem !== null) return invalid(problem);
  }
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

function findNoOccurrence({ start, timezone }: { [key: string]: unknown }, rrule: string) {
  if (typeof start !== 'string') return null;
  try {
    const zone = typeof timezone === 'string' ? timezone : 'UTC';
    const startsAt = toMoment(start, zone);
    const before = new Date(startsAt.getTime() - 1);
    const [first] = nextOccurrences({ rrule, timezone: zone, startsAt }, before, 1);
    return first === undefined
      ? `The recurrence rule ${rrule} gives no date from ${start} on. Give another rule or a later end.`
      : null;
  } catch (error) {
    return errorMessage(error);
  }
}

function toEvent(args: z.output<typeof AddArguments>, context: ToolContext): NewEvent {
  const timezone = args.timezone ?? context.timezone;
  const allDay = /^\d{4}-\d\d-\d\d$/.test(args.start);
  const start = toMoment(args.start, timezone);
  const end =
    args.end !== undefined
      ? toMoment(args.end, timezone)
      : allDay
        ? toNextDay(args.start, timezone)
        : new Date(start.getTime() + args.duration_minutes * 60_000);
  if (end <= start)
    throw new CountersignError('invalid_arguments', 'The event ends before it begins.');
  const key = createHash('sha256').update(context.idempotencyKey).digest('hex').slice(0, 32);
  return {
    // With the plan's ID, so that its own events don't delay its later steps.
    uid: `${context.planId === null ? '' : `${context.planId}.`}${key}@countersign`,
    title: args.title,
    start,
    end,
    allDay,
    timezone,
    location: args.location ?? null,
    description: args.description ?? null,
    rrule: args.rrule === undefined ? null : readRule(args.rrule),
  };
}
