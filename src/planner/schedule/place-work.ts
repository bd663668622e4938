// One schedule from what is known of the work: times for all of it, or what would have to change so that it fits.
import type { Roadmap } from '#contracts/planning/roadmap.ts';
import type { Infeasibility, Schedule } from '#contracts/planning/schedule.ts';
import { countOf } from '#contracts/words.ts';
import { type Pass, type PassInput, runForwardPass } from '#timeline/forward-pass.ts';
import type { Interval } from '#timeline/intervals.ts';
import { findRemedies } from '#timeline/relaxations.ts';
import { openWorkingTime } from '#timeline/working-time.ts';
import { fail, succeed } from '../agent/agent-tool.ts';
import { callToAction } from '../policy/calls-to-action.ts';
import type { Desk, ToolOutcome } from '../tools/planning-tool.ts';
import type { BusyReport } from './busy.ts';
import type { ChangedOutline } from './date-change.ts';
import { isMoment, makeBlocks } from './make-blocks.ts';
import type { ScheduleContext } from './schedule-wishes.ts';
import { buildTimeModel, ownerOf, type TimeModel } from './time-model.ts';
import { describeInfeasible, sayNode } from './time-words.ts';

/** Reads what takes people's time already. */
export type ReadBusy = (desk: Desk, window: Interval) => Promise<BusyReport>;

/** @param asked whether people are asked in their working hours only */
export async function placeWork(
  context: ScheduleContext,
  changed: ChangedOutline,
  roadmap: Roadmap,
  asked: boolean,
  calendars: ReadBusy,
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
  calendars: ReadBusy,
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
