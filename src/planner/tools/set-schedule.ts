// set_schedule: times of draft steps, local.
import { z } from 'zod';
import type { Recurs } from '#domain/planning/outline.ts';
import { countOf } from '#domain/words.ts';
import {
  beginAfter,
  checkTimezone,
  nextOccurrences,
  toLimit,
  toMoment,
} from '#timeline/recurrence.ts';
import { checkRule, readRule } from '#timeline/rule.ts';
import { defineTool } from '../define-tool.ts';
import { stepsNamed } from '../draft/edit-draft.ts';
import { scheduleSteps, type Timing } from '../draft/schedule-steps.ts';
import { fail, type ToolContext } from '../tool.ts';
import { draftDefaults, keepEdit, openDraft } from './draft-tool.ts';

const time = z.string().nullable().optional();

const SetSchedule = z.strictObject({
  ids: z.array(z.string()).min(1).describe('of steps, of a for_each, or names of phases'),
  not_before: time.describe('local ISO 8601 time; null takes it away'),
  deadline: time,
  duration: z.string().nullable().optional(),
  repeat: z
    .strictObject({
      rrule: z
        .string()
        .describe('RFC 5545: FREQ=WEEKLY;BYDAY=MO; without holidays: …;EXDATE=20261225,20270101'),
      starts_at: z.string().optional().describe('first time; left out: from now'),
      until: z.string().optional(),
      timezone: z.string().optional().describe('IANA; left out: the person’s'),
    })
    .nullable()
    .optional()
    .describe('these steps repeat together'),
});

type SetSchedule = z.infer<typeof SetSchedule>;

/** @throws CountersignError `invalid_arguments` for an unreadable time */
function readTimes(
  { not_before, deadline, repeat }: SetSchedule,
  { state, now }: ToolContext,
): Timing {
  const { timezone } = state;
  const moment = (text: string | null | undefined) =>
    text === undefined || text === null ? text : toMoment(text.trim(), timezone).toISOString();
  const start = moment(not_before);
  const limit = (text: string | null | undefined) =>
    text === undefined || text === null ? text : toLimit(text.trim(), timezone).toISOString();
  const end = limit(deadline);
  const timing: Timing = {
    ...(start === undefined ? {} : { not_before: start }),
    ...(end === undefined ? {} : { deadline: end }),
  };
  if (repeat === undefined) return timing;
  if (repeat === null) return { ...timing, recurs: null };
  const rule = { rrule: readRule(repeat.rrule), timezone: repeat.timezone ?? timezone };
  return {
    ...timing,
    recurs: {
      ...rule,
      starts_at: moment(repeat.starts_at) ?? beginAfter(rule, now).toISOString(),
      until: limit(repeat.until) ?? null,
    },
  };
}

function hasDate({ rrule, timezone, starts_at, until }: Recurs, now: Date): boolean {
  const startsAt = new Date(starts_at);
  const [next] = nextOccurrences({ rrule, timezone, startsAt }, now, 1);
  return next !== undefined && (until === null || next <= new Date(until));
}

export const setSchedule = defineTool({
  ...draftDefaults,
  name: 'set_schedule',
  description: 'Sets when steps of the draft run and how they repeat.',
  input: SetSchedule,
  async execute(input, toolContext) {
    const draft = openDraft(toolContext);
    const ids = stepsNamed(draft, input.ids);
    const times = readTimes(input, toolContext);
    const { duration } = input;
    const broken =
      times.recurs == null
        ? null
        : (checkRule(times.recurs.rrule) ?? checkTimezone(times.recurs.timezone));
    if (broken !== null) return { result: fail(broken) };
    if (times.recurs?.until != null && !hasDate(times.recurs, toolContext.now))
      return { result: fail('None of its dates is before “until”. Give a later end, or none.') };
    if (Object.keys(times).length === 0 && duration === undefined)
      return { result: fail('Say what to set: not_before, deadline, duration or repeat.') };
    return keepEdit(
      scheduleSteps(draft, ids, times, duration),
      toolContext,
      `Set the times of ${countOf(ids.length, 'step')}.`,
    );
  },
});
