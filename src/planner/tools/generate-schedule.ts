// generate_schedule: times for the work, from what was said about dates and from what waits for what. Where nobody said a
// time nothing is held back. What does not fit is told with the smallest changes that would help.
import { z } from 'zod';
import type { PlanOutline } from '#contracts/planning/outline.ts';
import type { Roadmap } from '#contracts/planning/roadmap.ts';
import type { Infeasibility, Schedule, StrategyProfile } from '#contracts/planning/schedule.ts';
import { countOf } from '#contracts/words.ts';
import { type Pass, type PassInput, runForwardPass } from '#timeline/forward-pass.ts';
import type { Interval } from '#timeline/intervals.ts';
import { findRemedies } from '#timeline/relaxations.ts';
import { openWorkingTime } from '#timeline/working-time.ts';
import { fail, succeed } from '../agent/agent-tool.ts';
import { callToAction } from '../policy/calls-to-action.ts';
import { type Operations, readOperations } from '../roadmap/operations.ts';
import { type BusyReport, readCalendars } from '../schedule/busy.ts';
import { applyChanges, type ChangedOutline, DateChange } from '../schedule/date-change.ts';
import { isMoment, makeBlocks } from '../schedule/make-blocks.ts';
import { readDateChanges } from '../schedule/read-dates.ts';
import { buildTimeModel, ownerOf, type TimeModel } from '../schedule/time-model.ts';
import { describeInfeasible, sayNode } from '../schedule/time-words.ts';
import type { Desk, PlanningTool, ToolOutcome } from './planning-tool.ts';

const Wishes = z.strictObject({
  changes: z
    .array(DateChange)
    .max(500)
    .describe('Other times for nodes; empty: as they were said, and as the feedback says.'),
  work_on: z.array(z.iso.date()).max(100).nullable().describe('Days off on which people work.'),
  rest_on: z.array(z.iso.date()).max(100).nullable().describe('Days on which nobody works.'),
  in_working_hours: z
    .boolean()
    .nullable()
    .describe('true: people are asked in their working hours only.'),
});
type Wishes = z.infer<typeof Wishes>;

const nothing: Wishes = { changes: [], work_on: null, rest_on: null, in_working_hours: null };

/** What is left out is null. The schema that models see is the strict one. */
const Input = z.preprocess((value) => {
  if (!isRecord(value)) return value;
  const changes = Array.isArray(value.changes)
    ? value.changes.map((one: unknown) => (isRecord(one) ? { ...emptyChange, ...one } : one))
    : (value.changes ?? []);
  return { ...nothing, ...value, changes };
}, Wishes);

const emptyChange = {
  not_before: null,
  exact: null,
  deadline: null,
  duration_minutes: null,
  drop: null,
};

export type GenerateScheduleOptions = {
  profile: StrategyProfile;
  /** Reads what takes people's time already. */
  calendars?: (desk: Desk, window: Interval) => Promise<BusyReport>;
};

export function createGenerateSchedule({
  profile,
  calendars = readCalendars,
}: GenerateScheduleOptions): PlanningTool<Wishes> {
  return {
    name: 'generate_schedule',
    description:
      'Gives the work its times: precedence, said moments, deadlines, working hours, and calendars. Changes of times go in by node.',
    input: Input,
    stages: ['DRAFT_SCHEDULE'],
    prerequisites: ['valid_roadmap'],
    produces: ['schedule'],
    automatic: nothing,
    revision: 1,
    async run(input, desk) {
      const { outline, roadmap } = desk.state;
      if (outline === null || roadmap === null)
        return { result: fail('There is no outline with a roadmap to schedule.') };
      const context = openContext(desk, profile, outline);
      const wishes = readWishes(input, context);
      if (wishes.questions.length > 0) return askAbout(wishes.questions, desk);
      const changed = applyChanges(
        outline,
        wishes.changes,
        context.timezone,
        wishes.said ? 'user_feedback' : 'ai_adaptation',
      );
      if (changed.problems.length > 0) return { result: fail(...changed.problems) };
      const days = {
        ...context.profile,
        days_on: merge(context.profile.days_on, wishes.days_on, wishes.days_off),
        days_off: merge(context.profile.days_off, wishes.days_off, wishes.days_on),
      };
      const asked = isAsked(changed, input, wishes, context);
      return await schedule({ ...context, profile: days }, changed, roadmap, asked, calendars);
    },
  };
}

type Context = {
  desk: Desk;
  profile: StrategyProfile;
  timezone: string;
  operations: Operations;
  outline: PlanOutline;
};

/** Days that were worked, or not, by this session's wishes stay so. */
function openContext(desk: Desk, profile: StrategyProfile, outline: PlanOutline): Context {
  const last = desk.state.schedule?.profile;
  return {
    desk,
    outline,
    timezone: desk.state.timezone,
    operations: readOperations(desk.tools.manifest()),
    profile:
      last === undefined ? profile : { ...profile, days_on: last.days_on, days_off: last.days_off },
  };
}

type ReadWishes = {
  changes: DateChange[];
  days_on: string[];
  days_off: string[];
  questions: string[];
  /** By the person's own words. */
  said: boolean;
};

/** The arguments, or the person's words where there are none. */
function readWishes(
  input: Wishes,
  { desk, outline, operations, timezone, profile }: Context,
): ReadWishes {
  const given = {
    changes: input.changes,
    days_on: input.work_on ?? [],
    days_off: input.rest_on ?? [],
    questions: [],
    said: false,
  };
  const isGiven = [given.changes, given.days_on, given.days_off].some(({ length }) => length > 0);
  const feedback = feedbackOf(desk);
  if (isGiven || feedback === null || input.in_working_hours !== null)
    return { ...given, said: feedback !== null };
  const workday = openWorkingTime(profile, timezone).longest / 60_000;
  const people = new Set(
    outline.nodes.flatMap(({ id, steps }) =>
      steps.some((step) => operations.asksPerson(step)) ? [id] : [],
    ),
  );
  const read = readDateChanges(feedback, {
    outline,
    schedule: desk.state.schedule,
    now: desk.now,
    timezone,
    workday: (node) => (people.has(node) && workday > 0 ? workday : null),
  });
  return { ...read, said: true };
}

/** What the person wants of the times; null: this turn is not about them. */
function feedbackOf({ state, request }: Desk): string | null {
  if (state.change !== null) return state.change.gate === 'schedule' ? state.change.feedback : null;
  const { pause } = state;
  const waits = pause?.kind === 'escalation' || pause?.kind === 'questions';
  return waits && pause.resume === 'DRAFT_SCHEDULE' ? request : null;
}

function askAbout(questions: string[], { state }: Desk): ToolOutcome {
  const asked = questions.slice(0, 10);
  return {
    result: fail(...asked),
    changes: {
      change: null,
      result: { kind: 'question', text: asked.join('\n'), questions: asked },
      pause: { kind: 'questions', resume: 'DRAFT_SCHEDULE', gate: null, digest: null },
      questions_asked: state.questions_asked + asked.length,
    },
    ends: 'needs_clarification',
  };
}

const hours =
  /\b(?:during|in|within|outside) (?:(?:my|our|the|his|her|their|working|office|business) )+hours\b/i;

/** Whether people's work is to wait for their working hours: only where somebody spoke of its times. */
function isAsked(
  { outline, adaptations }: ChangedOutline,
  input: Wishes,
  { days_on, days_off }: ReadWishes,
  { desk, operations }: Context,
): boolean {
  if (input.in_working_hours !== null) return input.in_working_hours;
  if (days_on.length + days_off.length > 0 || hours.test(desk.request)) return true;
  if (outline.nodes.some(({ deadline }) => deadline !== null)) return true;
  // It was so before: a schedule is not given up because something else changes.
  const { schedule: last } = desk.state;
  if (last?.blocks.some(({ person, holds, fixed }) => person !== null && holds && !fixed))
    return true;
  const touched = new Set(adaptations.map(({ node }) => node));
  const wholes = new Set(outline.nodes.map(({ parent }) => parent));
  return outline.nodes.some(
    ({ id, steps }) =>
      touched.has(id) && (wholes.has(id) || steps.some((step) => operations.asksPerson(step))),
  );
}

async function schedule(
  context: Context,
  changed: ChangedOutline,
  roadmap: Roadmap,
  asked: boolean,
  calendars: NonNullable<GenerateScheduleOptions['calendars']>,
): Promise<ToolOutcome> {
  const { desk, profile, timezone, operations } = context;
  const { outline } = changed;
  const model = buildTimeModel(outline, roadmap, {
    operations,
    user: desk.user,
    buffer: profile.buffer,
  });
  const exact = findExact(model, changed, desk);
  const busy = await readBusy(model, asked, desk, calendars);
  const input: PassInput = {
    ...model,
    nodes: model.nodes.map((node) => {
      const item = { id: ownerOf(node.id), own: node.release };
      if (node.release === null) return node;
      if (exact.has(item.id)) return { ...node, fixed: node.release, release: null };
      return { ...node, anyHour: node.person !== null && isMoment(item, { exact, timezone }) };
    }),
    now: desk.now.getTime(),
    time: openWorkingTime(profile, timezone),
    minutesADay: profile.minutes_a_day,
    busy: Map.groupBy(busy.busy, ({ person }) => person),
  };
  const pass = runForwardPass(input);
  if (pass.kind !== 'placed') return cannotPlace(pass, model);
  if (pass.late.length > 0) {
    const remedies = findRemedies({ input, profile }, pass);
    const infeasible = describeInfeasible(model.index, pass, remedies, timezone, profile.buffer);
    return escalate(infeasible, changed, desk);
  }
  const blocks = makeBlocks(model, {
    places: pass.places,
    edges: roadmap.edges,
    asked,
    exact,
    timezone,
  });
  const made: Schedule = { timezone, profile, blocks, ...spanOf(blocks) };
  const held = blocks.filter(({ holds }) => holds).length;
  return {
    result: succeed(
      { blocks: blocks.length, held, starts_at: made.starts_at, ends_at: made.ends_at },
      blocks.length === 0
        ? 'Nothing needs a time of its own.'
        : `${countOf(blocks.length, 'time')}, ${held === 0 ? 'none' : held} of which something waits for.`,
      ...busy.unread,
    ),
    changes: {
      schedule: made,
      change: null,
      ...(changed.adaptations.length > 0 ? { outline } : {}),
    },
    adaptations: changed.adaptations,
    heuristics: 1,
    ends: 'drafted',
  };
}

/** Nodes that begin exactly at their moment: as just said, or as the last schedule had it and nobody moved since. */
function findExact(model: TimeModel, changed: ChangedOutline, { state }: Desk): Set<string> {
  const fixed = new Map(
    state.schedule?.blocks.flatMap(({ node, fixed, starts_at }) =>
      fixed ? [[node, Date.parse(starts_at)] as const] : [],
    ),
  );
  const kept = model.work.filter(
    ({ id, own }) => own !== null && own === fixed.get(id) && !changed.loose.has(id),
  );
  return new Set([...kept.map(({ id }) => id), ...changed.exact]);
}

const lookAheadMs = 60 * 86_400_000;

/** Calendars are read only where somebody's time is to be found. */
async function readBusy(
  { work }: TimeModel,
  asked: boolean,
  desk: Desk,
  calendars: NonNullable<GenerateScheduleOptions['calendars']>,
): Promise<BusyReport> {
  const needed = work.some(
    ({ person, minutes, node }) =>
      person !== null && (asked || ((minutes ?? 0) > 0 && node.recurs === null)),
  );
  if (!needed) return { busy: [], looked_at: [], unread: [] };
  const from = desk.now.getTime();
  const last = Math.max(from, ...work.map(({ release }) => release ?? from));
  return await calendars(desk, { from, to: last + lookAheadMs });
}

function spanOf(blocks: Schedule['blocks']): Pick<Schedule, 'starts_at' | 'ends_at'> {
  const starts = blocks.map(({ starts_at }) => starts_at).sort();
  const ends = blocks.map(({ ends_at }) => ends_at).sort();
  return { starts_at: starts[0] ?? null, ends_at: ends.at(-1) ?? null };
}

function cannotPlace(pass: Exclude<Pass, { kind: 'placed' }>, model: TimeModel): ToolOutcome {
  if (pass.kind === 'cycle') return { result: fail('Some parts wait for one another.') };
  const name = sayNode(model.index, ownerOf(pass.node));
  return {
    result: fail(`${name} finds no working time within ten years. Are there working hours at all?`),
  };
}

function escalate(
  infeasible: Infeasibility,
  { outline, adaptations }: ChangedOutline,
  desk: Desk,
): ToolOutcome {
  return {
    result: fail(infeasible.reason),
    changes: {
      change: null,
      ...(adaptations.length > 0 ? { outline } : {}),
      result: { kind: 'escalation', text: tell(infeasible, desk), infeasible },
      pause: { kind: 'escalation', resume: 'DRAFT_SCHEDULE', gate: null, digest: null },
      reason: infeasible.reason,
    },
    adaptations,
    ends: 'infeasible',
  };
}

function tell({ reason, relaxations }: Infeasibility, { policy }: Desk): string {
  return [
    reason,
    ...(relaxations.length === 0
      ? []
      : ['Any one of these would help:', ...relaxations.map(({ text }) => `- ${text}`)]),
    callToAction({ kind: 'escalation' }, policy),
  ].join('\n');
}

function merge(days: string[], more: string[], less: string[]): string[] {
  return [...new Set([...days, ...more])].filter((day) => !less.includes(day)).sort();
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
