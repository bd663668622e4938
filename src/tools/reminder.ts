// reminder_set: a reminder, once or recurring. Idempotent.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Operation } from '#domain/tool.ts';
import {
  beginAfter,
  checkTimezone,
  formatMoment,
  nextOccurrences,
  toLocalIso,
  toMoment,
} from '#timeline/recurrence.ts';
import { checkRule, readRule } from '#timeline/rule.ts';
import { defineOperation, text } from './define-operation.ts';
import { throwIfAborted } from './failures.ts';
import { toLine } from './limit-output.ts';
import { describeOutput } from './output-schema.ts';
import type { ReminderPort } from './ports.ts';

const shown = 3;
const shortestGapMs = 60_000;
const noTime =
  'The reminder needs a time: "at", "rrule" or both. To remind as soon as the step runs, use chat_post.';

type Timing = { startsAt: Date; next: Date[]; rrule: string | null };

export function createReminderSet(reminders: ReminderPort, clock: Clock): Operation {
  return defineOperation({
    tool: 'reminder',
    operation: 'set',
    description: 'Remind the person here, once or by an RFC 5545 rule.',
    effect: 'idempotent',
    destructive: false,
    targetArgument: 'text',
    schema: z.strictObject({
      text: text(2000, 'What to be reminded of.'),
      at: text(60, 'First moment: 2026-05-04T09:30 in the zone, or with an offset.').optional(),
      rrule: text(500, 'Rule such as FREQ=WEEKLY;BYDAY=MO,TU;BYHOUR=9;BYMINUTE=30.').optional(),
      timezone: text(60, 'IANA zone; left out: the person’s own.').optional(),
    }),
    output: describeOutput(
      z.strictObject({
        id: z.string(),
        text: z.string(),
        timezone: z.string(),
        rrule: z.string().nullable(),
        next: z.array(z.string()).max(shown).describe('The next moments it rings.'),
      }),
    ),
    check: (args, later = []) =>
      toProblem(
        findProblem(args) ??
          findPassed(args, clock.now()) ??
          (['at', 'rrule'].some((name) => name in args || later.includes(name)) ? null : noTime),
      ),
    async run(args, context) {
      throwIfAborted(context.signal);
      const problem = findProblem(args);
      if (problem !== null) throw new CountersignError('invalid_arguments', problem);
      const timezone = args.timezone ?? context.timezone;
      const timing = computeTiming(args, timezone, clock.now());
      const [nextAt] = timing.next;
      if (nextAt === undefined)
        throw new CountersignError('invalid_arguments', 'This reminder would never ring.');
      const id = `REM-${createHash('sha256').update(context.idempotencyKey).digest('hex').slice(0, 16)}`;
      await reminders.set({
        id,
        planId: context.planId,
        user: context.user,
        conversation: context.conversation,
        text: args.text,
        rrule: timing.rrule,
        timezone,
        startsAt: timing.startsAt,
        nextAt,
      });
      return {
        summary: `Reminder set: "${toLine(args.text, 100)}", next ${formatMoment(nextAt, timezone)}.`,
        data: {
          id,
          text: args.text,
          timezone,
          rrule: timing.rrule,
          next: timing.next.map((moment) => toLocalIso(moment, timezone)),
        },
      };
    },
  });
}

function toProblem(message: string | null) {
  return message === null ? null : { code: 'invalid_arguments' as const, message };
}

function findProblem(args: { [key: string]: unknown }): string | null {
  const { at, rrule, timezone } = args;
  if (typeof timezone === 'string') {
    const problem = checkTimezone(timezone);
    if (problem !== null) return problem;
  }
  if (typeof rrule === 'string') {
    const problem = checkRule(rrule);
    if (problem !== null) return problem;
  }
  if (typeof at === 'string') {
    try {
      toMoment(at, typeof timezone === 'string' ? timezone : 'UTC');
    } catch (error) {
      if (error instanceof CountersignError) return error.message;
      throw error;
    }
  }
  return null;
}

function findPassed({ at, rrule, timezone }: { [key: string]: unknown }, now: Date): string | null {
  if (typeof at !== 'string' || rrule !== undefined) return null;
  const zone =
    typeof timezone === 'string' ? timezone : /(Z|[+-]\d\d:?\d\d)$/i.test(at) ? 'UTC' : null;
  if (zone === null || toMoment(at, zone) > now) return null;
  return `${formatMoment(toMoment(at, zone), zone)} has passed; choose a later time.`;
}

/** @throws `invalid_arguments` if that is never or too often */
function computeTiming(
  args: { at?: string | undefined; rrule?: string | undefined },
  timezone: string,
  now: Date,
): Timing {
  const at = args.at === undefined ? null : toMoment(args.at, timezone);
  if (args.rrule === undefined) {
    if (at === null) throw new CountersignError('invalid_arguments', noTime);
    if (at <= now)
      throw new CountersignError(
        'invalid_arguments',
        `${formatMoment(at, timezone)} has passed; choose a later time.`,
      );
    return { startsAt: at, next: [at], rrule: null };
  }
  const rrule = readRule(args.rrule);
  const startsAt = at ?? beginAfter({ rrule, timezone }, now);
  const after = new Date(Math.max(now.getTime(), startsAt.getTime() - 1));
  const next = nextOccurrences({ rrule, timezone, startsAt }, after, shown);
  const [first, second] = next;
  if (first === undefined)
    throw new CountersignError('invalid_arguments', `The rule ${rrule} has already ended.`);
  if (second !== undefined && second.getTime() - first.getTime() < shortestGapMs)
    throw new CountersignError(
      'invalid_arguments',
      'A reminder can ring at most once a minute. Make the rule less frequent.',
    );
  return { startsAt, next, rrule };
}
