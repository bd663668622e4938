// generate_schedule: times for the work, or remedies if it doesn't fit.
import { z } from 'zod';
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { Infeasibility } from '#domain/planning/schedule.ts';
import type { Adaptation } from '#domain/planning/trace.ts';
import { isObject } from '#domain/text.ts';
import { countOf } from '#domain/words.ts';
import { readDuration } from '#timeline/durations.ts';
import { defineTool } from '../define-tool.ts';
import { readOperations } from '../order/durations.ts';
import { WrittenLength } from '../outline/written-outline.ts';
import { readCalendars } from '../schedule/busy.ts';
import { applyChanges, type ChangedOutline, DateChange } from '../schedule/date-change.ts';
import { type Placing, placeWork, type ScheduleContext } from '../schedule/place-work.ts';
import { unitePeople } from '../schedule/time-model.ts';
import { fail, type StateChanges, succeed, type ToolContext, type ToolOutcome } from '../tool.ts';

const WrittenChange = DateChange.extend({
  duration_minutes: WrittenLength.nullable(),
}).omit({ duration: true });

const ScheduleRequest = z.strictObject({
  changes: z.array(WrittenChange).max(500).describe('Other times for nodes; empty: as they were.'),
  work_on: z.array(z.iso.date()).max(100).nullable().describe('Days off on which people work.'),
  rest_on: z.array(z.iso.date()).max(100).nullable().describe('Days on which nobody works.'),
  in_working_hours: z
    .boolean()
    .nullable()
    .describe('true: people are asked in their working hours only.'),
});
type ScheduleRequest = z.infer<typeof ScheduleRequest>;

const emptyScheduleRequest: ScheduleRequest = {
  changes: [],
  work_on: null,
  rest_on: null,
  in_working_hours: null,
};

/** Omitted values become null; models get a strict schema. */
const ScheduleRequestInput = z.preprocess((value) => {
  if (!isObject(value)) return value;
  const changes = Array.isArray(value.changes)
    ? value.changes.map((one: unknown) => (isObject(one) ? { ...emptyChange, ...one } : one))
    : (value.changes ?? []);
  return { ...emptyScheduleRequest, ...value, changes };
}, ScheduleRequest);

const emptyChange = {
  not_before: null,
  exact: null,
  deadline: null,
  duration_minutes: null,
  drop: null,
};

export const generateSchedule = defineTool({
  name: 'generate_schedule',
  description:
    'Gives the work its times: precedence, said moments, deadlines, working hours, and calendars. Changes of times go in by node.',
  input: ScheduleRequestInput,
  stages: ['DRAFT_SCHEDULE'],
  prerequisites: ['valid_roadmap'],
  produces: ['schedule'],
  revision: 5,
  async execute(input, toolContext) {
    const { outline, roadmap } = toolContext.state;
    if (outline === null || roadmap === null)
      return { result: fail('There is no outline with a roadmap to schedule.') };
    const context = await openContext(toolContext, outline);
    const days_on = input.work_on ?? [];
    const days_off = input.rest_on ?? [];
    const inHours = input.in_working_hours ?? outline.preferences?.in_working_hours ?? null;
    const by = toolContext.state.change === null ? 'ai_adaptation' : 'user_feedback';
    const { changes, problems } = readChanges(input.changes, outline, context);
    const changed = applyChanges(keepPreference(outline, inHours), changes, context.timezone, by);
    problems.push(...changed.problems);
    if (problems.length > 0) return { result: fail(...problems) };
    const days = {
      ...context.profile,
      days_on: merge(context.profile.days_on, days_on, days_off),
      days_off: merge(context.profile.days_off, days_off, days_on),
    };
    const daysChanged = days_on.length + days_off.length > 0;
    const asked = inHours ?? (daysChanged || isAsked(changed, context));
    const placing = await placeWork(
      { ...context, profile: days },
      changed,
      roadmap,
      asked,
      (people, window) =>
        readCalendars({ ...toolContext, timezone: context.timezone }, people, window),
    );
    const outlined = changed.outline === outline ? {} : { outline: changed.outline };
    return tellPlacing(placing, changed, outlined);
  },
});

/** Minutes; unreadable changes as sentences. */
function readChanges(
  written: ScheduleRequest['changes'],
  { nodes }: PlanOutline,
  { operations, profile }: ScheduleContext,
): { changes: DateChange[]; problems: string[] } {
  const problems: string[] = [];
  const changes = written.map((change): DateChange => {
    const { duration_minutes: length } = change;
    if (length === null) return { ...change, duration_minutes: null };
    const node = nodes.find(
      ({ id, steps }) => id === change.node || steps.some((step) => step.id === change.node),
    );
    const isPersons = node?.steps.some((step) => operations.asksPerson(step)) === true;
    const read = readDuration(length, profile, isPersons ? 'person' : 'clock');
    if (!read.ok) problems.push(`${change.node}: ${read.message}`);
    if (!read.ok) return { ...change, duration_minutes: null };
    const words = read.text === null ? {} : { duration: read.text };
    return { ...change, ...words, duration_minutes: read.minutes };
  });
  return { changes, problems };
}

/** Days on or off last for the session. */
async function openContext(
  toolContext: ToolContext,
  outline: PlanOutline,
): Promise<ScheduleContext> {
  const { schedule: last, timezone } = toolContext.state;
  const { profile } = toolContext.settings;
  const { tools, user } = toolContext;
  return {
    outline,
    timezone,
    now: toolContext.now,
    user,
    sameAs: await unitePeople(outline, user, tools.personsOf),
    last,
    operations: readOperations(tools.manifest()),
    pools: tools.capacity?.pools,
    backends: await tools.backends?.(),
    profile:
      last === null
        ? profile
        : { ...profile, days_on: last.profile.days_on, days_off: last.profile.days_off },
  };
}

function merge(days: string[], more: string[], less: string[]): string[] {
  return [...new Set([...days, ...more])].filter((day) => !less.includes(day)).sort();
}

function keepPreference(outline: PlanOutline, in_working_hours: boolean | null): PlanOutline {
  const { preferences } = outline;
  if ((preferences?.in_working_hours ?? null) === in_working_hours) return outline;
  return { ...outline, preferences: { order: null, ...preferences, in_working_hours } };
}

/** Only with times to apply to. */
function isAsked(
  { outline, adaptations }: ChangedOutline,
  { operations, last }: ScheduleContext,
): boolean {
  if (outline.nodes.some(({ deadline }) => deadline !== null)) return true;
  // Unrelated changes keep a schedule.
  if (last?.blocks.some(({ person, holds, fixed }) => person !== null && holds && !fixed))
    return true;
  const touched = new Set(adaptations.map(({ node }) => node));
  const wholes = new Set(outline.nodes.map(({ parent }) => parent));
  return outline.nodes.some(
    ({ id, steps }) =>
      touched.has(id) && (wholes.has(id) || steps.some((step) => operations.asksPerson(step))),
  );
}

function tellPlacing(
  placing: Placing,
  { adaptations }: ChangedOutline,
  changes: StateChanges,
): ToolOutcome {
  switch (placing.kind) {
    case 'placed':
      return tellPlaced(placing, adaptations, changes);
    case 'late':
      return escalate(placing.infeasible, adaptations, changes);
    case 'impossible':
      return { result: fail(placing.why) };
    default:
      return placing satisfies never;
  }
}

function tellPlaced(
  { schedule, unread }: Extract<Placing, { kind: 'placed' }>,
  adaptations: Adaptation[],
  changes: StateChanges,
): ToolOutcome {
  const { blocks, starts_at, ends_at } = schedule;
  const held = blocks.filter(({ holds }) => holds).length;
  return {
    result: succeed(
      { blocks: blocks.length, held, starts_at, ends_at },
      blocks.length === 0
        ? 'Nothing needs a time of its own.'
        : `${countOf(blocks.length, 'time')}, ${held === 0 ? 'none' : held} of which something waits for.`,
      ...unread,
    ),
    changes: { ...changes, schedule, change: null },
    adaptations,
    heuristics: 1,
    ends: 'drafted',
  };
}

function escalate(
  infeasible: Infeasibility,
  adaptations: Adaptation[],
  changes: StateChanges,
): ToolOutcome {
  return {
    result: fail(infeasible.reason),
    changes: {
      ...changes,
      change: null,
      result: { kind: 'escalation', text: describe(infeasible), infeasible },
      pause: { kind: 'escalation', resume: 'DRAFT_SCHEDULE', gate: null, digest: null },
      reason: infeasible.reason,
    },
    adaptations,
    ends: 'infeasible',
  };
}

function describe({ reason, relaxations }: Infeasibility): string {
  return [
    reason,
    ...(relaxations.length === 0
      ? []
      : ['Any one of these would help:', ...relaxations.map(({ text }) => `- ${text}`)]),
  ].join('\n');
}
