// Builds a schedule, or lists the changes that would make the work fit.
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { Roadmap } from '#domain/planning/roadmap.ts';
import type { Infeasibility, Schedule, StrategyProfile } from '#domain/planning/schedule.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';
import { type Pass, type PassInput, runForwardPass } from '#timeline/forward-pass.ts';
import { findRemedies } from '#timeline/relaxations.ts';
import { type Interval, openWorkingTime } from '#timeline/working-time.ts';
import type { Operations } from '../order/operations.ts';
import type { BusyReport } from './busy.ts';
import type { ChangedOutline } from './date-change.ts';
import { isMoment, makeBlocks } from './make-blocks.ts';
import { buildTimeModel, ownerOf, type TimeModel } from './time-model.ts';
import { describeInfeasible, sayNode } from './time-words.ts';

/** What a schedule is made from. */
export type ScheduleContext = {
  outline: PlanOutline;
  operations: Operations;
  profile: StrategyProfile;
  timezone: string;
  now: Date;
  /** Whom the plan is for. */
  user: string;
  /** The times as they were. */
  last: Schedule | null;
};

export type Placing =
  /** `unread`: sentences about calendars that could not be looked at. */
  | { kind: 'placed'; schedule: Schedule; unread: string[] }
  /** It does not fit, and what would help. */
  | { kind: 'late'; infeasible: Infeasibility }
  | { kind: 'impossible'; why: string };

/** Reads what takes people's time already. */
type ReadBusy = (window: Interval) => Promise<BusyReport>;

/**
 * @param asked whether people are asked in their working hours only
 * @param readBusy called only where somebody's time is to be found
 */
export async function placeWork(
  context: ScheduleContext,
  changed: ChangedOutline,
  roadmap: Roadmap,
  asked: boolean,
  readBusy: ReadBusy,
): Promise<Placing> {
  const { profile, timezone, operations, user, last } = context;
  const now = context.now.getTime();
  const { outline } = changed;
  const model = buildTimeModel(outline, roadmap, { operations, user, buffer: profile.buffer });
  const exact = findExact(model, changed, last);
  const window = findWindow(model, asked, now);
  const busy = window === null ? { busy: [], unread: [] } : await readBusy(window);
  const input: PassInput = {
    ...model,
    nodes: model.nodes.map((node) => {
      const item = { id: ownerOf(node.id), own: node.release };
      if (node.release === null) return node;
      if (exact.has(item.id)) return { ...node, fixed: node.release, release: null };
      return { ...node, anyHour: node.person !== null && isMoment(item, { exact, timezone }) };
    }),
    now,
    time: openWorkingTime(profile, timezone),
    minutesADay: profile.minutes_a_day,
    busy: Map.groupBy(busy.busy, ({ person }) => person),
  };
  if (isSliceOver()) await nextTurn();
  const pass = runForwardPass(input);
  if (isSliceOver()) await nextTurn();
  if (pass.kind !== 'placed') return { kind: 'impossible', why: explainImpossible(pass, model) };
  if (pass.late.length > 0) {
    const remedies = findRemedies({ input, profile }, pass);
    const infeasible = describeInfeasible(model.index, pass, remedies, timezone, profile.buffer);
    return { kind: 'late', infeasible };
  }
  const blocks = makeBlocks(model, {
    places: pass.places,
    edges: roadmap.edges,
    asked,
    exact,
    timezone,
  });
  const schedule: Schedule = { timezone, profile, blocks, ...spanOf(blocks) };
  return { kind: 'placed', schedule, unread: busy.unread };
}

/** Nodes that begin exactly at their moment: as just said, or as the last schedule had it and nobody moved since. */
function findExact(model: TimeModel, changed: ChangedOutline, last: Schedule | null): Set<string> {
  const fixed = new Map(
    last?.blocks.flatMap(({ node, fixed, starts_at }) =>
      fixed ? [[node, Date.parse(starts_at)] as const] : [],
    ),
  );
  const kept = model.work.filter(
    ({ id, own }) => own !== null && own === fixed.get(id) && !changed.loose.has(id),
  );
  return new Set([...kept.map(({ id }) => id), ...changed.exact]);
}

const lookAheadMs = 60 * 86_400_000;

/** The time in which calendars matter; null: nobody's time is to be found. */
function findWindow({ work }: TimeModel, asked: boolean, now: number): Interval | null {
  const needed = work.some(
    ({ person, minutes, node }) =>
      person !== null && (asked || ((minutes ?? 0) > 0 && node.recurs === null)),
  );
  if (!needed) return null;
  const last = Math.max(now, ...work.map(({ release }) => release ?? now));
  return { from: now, to: last + lookAheadMs };
}

function spanOf(blocks: Schedule['blocks']): Pick<Schedule, 'starts_at' | 'ends_at'> {
  const starts = blocks.map(({ starts_at }) => starts_at).sort();
  const ends = blocks.map(({ ends_at }) => ends_at).sort();
  return { starts_at: starts[0] ?? null, ends_at: ends.at(-1) ?? null };
}

function explainImpossible(pass: Exclude<Pass, { kind: 'placed' }>, model: TimeModel): string {
  if (pass.kind === 'cycle') return 'Some parts wait for one another.';
  const name = sayNode(model.index, ownerOf(pass.node));
  return `${name} finds no working time within ten years. Are any working hours set?`;
}
