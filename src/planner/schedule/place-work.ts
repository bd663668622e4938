// Builds a schedule, or lists changes that would make work fit.
import { edgeEnds } from '#domain/plan/edge-ends.ts';
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { Roadmap } from '#domain/planning/roadmap.ts';
import type {
  Infeasibility,
  Schedule,
  ScheduleBlock,
  StrategyProfile,
} from '#domain/planning/schedule.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';
import { type Pass, type PassInput, runForwardPass } from '#timeline/forward-pass.ts';
import { improvePass } from '#timeline/improve-pass.ts';
import { findEarliestEnds } from '#timeline/lower-bound.ts';
import { findRemedies } from '#timeline/relaxations.ts';
import { dayOf, type Interval, openWorkingTime, startOfDay } from '#timeline/working-time.ts';
import { seriesOf } from '../outline/outline-tree.ts';
import type { BusyReport } from './busy.ts';
import type { ChangedOutline } from './date-change.ts';
import {
  buildTimeModel,
  ownerOf,
  type PeopleOfWork,
  placeOfWork,
  type SharedCapacity,
  type TimeModel,
  type WorkNode,
} from './time-model.ts';
import { describeInfeasible, sayNode } from './time-words.ts';

export type ScheduleContext = PeopleOfWork &
  SharedCapacity & {
    outline: PlanOutline;
    profile: StrategyProfile;
    timezone: string;
    now: Date;
    last: Schedule | null;
  };

export type Placing =
  /** `unread`: problems with calendars, as sentences. */
  | { kind: 'placed'; schedule: Schedule; unread: string[] }
  | { kind: 'late'; infeasible: Infeasibility }
  | { kind: 'impossible'; why: string };

/** Existing demands on people's time. */
type ReadBusy = (people: string[], window: Interval) => Promise<BusyReport>;

/** @param asked people are asked in their working hours only @param readBusy called only if a person's time matters */
export async function placeWork(
  context: ScheduleContext,
  changed: ChangedOutline,
  roadmap: Roadmap,
  asked: boolean,
  readBusy: ReadBusy,
): Promise<Placing> {
  const { profile, timezone, last } = context;
  const now = context.now.getTime();
  const { outline } = changed;
  const model = buildTimeModel(outline, roadmap, { ...context, buffer: profile.buffer });
  const exact = findExact(model, changed, last);
  const window = findWindow(model, asked, now);
  const people = [...new Set(model.work.flatMap(({ person }) => person ?? []))];
  const busy = window === null ? { busy: [], unread: [] } : await readBusy(people, window);
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
  const first = runForwardPass(input);
  if (isSliceOver()) await nextTurn();
  if (first.kind !== 'placed') return { kind: 'impossible', why: explainImpossible(first, model) };
  const contended = isContended(input, first);
  const pass = contended ? improvePass(input, first, triesFor(input)) : first;
  if (isSliceOver()) await nextTurn();
  const end = Math.max(now, ...[...pass.places.values()].map(({ to }) => to));
  const earliest = contended ? findEarliestEnds(input, end) : null;
  if (pass.late.length > 0) {
    const remedies = findRemedies({ input, profile }, pass);
    const found = { ...pass, earliest: earliest?.ends ?? new Map<string, number>() };
    const infeasible = describeInfeasible(model.index, found, remedies, timezone, profile.buffer);
    return { kind: 'late', infeasible };
  }
  const blocks = makeBlocks(model, {
    places: pass.places,
    edges: roadmap.edges,
    asked,
    exact,
    timezone,
  });
  const schedule: Schedule = {
    ...{ timezone, profile, blocks, ...spanOf(blocks) },
    ...(earliest === null ? {} : { earliest_end: new Date(earliest.end).toISOString() }),
  };
  return { kind: 'placed', schedule, unread: busy.unread };
}

/** Larger plans get one pass, to stay below 100 ms. */
const maxSearched = 200;
const maxPlacements = 2000;

const triesFor = ({ nodes }: PassInput): number => Math.floor(maxPlacements / nodes.length);

/** A limit is broken, or people or pools have several things to do. */
function isContended({ nodes }: PassInput, { late }: Extract<Pass, { kind: 'placed' }>): boolean {
  if (nodes.length > maxSearched) return false;
  const work = nodes.filter(({ minutes }) => minutes > 0);
  const people = work.flatMap(({ person }) => person ?? []);
  const holding = work.filter(({ demands = new Map() }) => demands.size > 0);
  return late.length > 0 || people.length > new Set(people).size || holding.length > 1;
}

/** Just stated, or unmoved since the last schedule. */
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

/** To read calendars for; null if none matter. */
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

/** Minutes. */
const longestLag = 525_600;

type BlockOptions = {
  places: ReadonlyMap<string, Interval>;
  edges: Roadmap['edges'];
  /** People's work waits for working hours. */
  asked: boolean;
  exact: ReadonlySet<string>;
  timezone: string;
};

function makeBlocks(model: TimeModel, options: BlockOptions): ScheduleBlock[] {
  const { places, edges } = options;
  const work = new Map(model.work.map((item) => [item.id, item]));
  const incoming = Map.groupBy(edges, ({ to }) => to);
  const holding = new Set<string>();
  const made = new Map<string, ScheduleBlock>();
  for (const item of sortAsPlaced(places, model.work)) {
    const place = placeOfWork(places, item.id);
    if (place === undefined) continue;
    const holds = isHeld(item, place, incoming.get(item.id) ?? [], { ...options, work, holding });
    if (holds) holding.add(item.id);
    if (!holds && item.minutes === null && item.node.deadline === null) continue;
    made.set(item.id, {
      node: item.id,
      starts_at: new Date(place.from).toISOString(),
      ends_at: new Date(place.to).toISOString(),
      fixed: item.own === place.from && isMoment(item, options),
      person: item.person,
      holds: holds && seriesOf(model.index, model.index.places.get(item.id) ?? -1) === -1,
    });
  }
  return model.work.flatMap(({ id }) => made.get(id) ?? []);
}

function sortAsPlaced(places: ReadonlyMap<string, Interval>, work: WorkNode[]): WorkNode[] {
  const rank = new Map([...places.keys()].map((id, at) => [ownerOf(id), at]));
  return work.toSorted((a, b) => (rank.get(a.id) ?? 0) - (rank.get(b.id) ?? 0));
}

/** Local midnight is a date unless stated exactly. */
function isMoment(
  { id, own }: Pick<WorkNode, 'id' | 'own'>,
  { exact, timezone }: Pick<BlockOptions, 'exact' | 'timezone'>,
): boolean {
  if (own === null) return false;
  return exact.has(id) || own !== startOfDay(dayOf(own, timezone), timezone);
}

type HoldContext = BlockOptions & {
  work: ReadonlyMap<string, WorkNode>;
  holding: ReadonlySet<string>;
};

function isHeld(
  item: WorkNode,
  place: Interval,
  before: Roadmap['edges'],
  context: HoldContext,
): boolean {
  if (item.person !== null && context.asked) return true;
  if (item.release !== null) {
    if (place.from === item.release) return true;
    // Moved by predecessors or working hours. Steps that state the moment wait for it themselves.
    const says = item.node.steps.some((step) => step.not_before !== undefined);
    const covered = before.some(
      ({ from }) =>
        (context.work.get(from)?.release ?? Number.NEGATIVE_INFINITY) >= (item.release ?? 0),
    );
    if (item.person !== null || !(says || covered)) return true;
  }
  return before.some((edge) => needsHold(edge, place, context));
}

/** A lead can't be foreseen and a lag over a year can't be carried, so these hold their moment. */
function needsHold(
  { from, type, lag_minutes }: Roadmap['edges'][number],
  place: Interval,
  { places, holding }: HoldContext,
): boolean {
  const before = placeOfWork(places, from);
  if (before === undefined || !holding.has(from)) return false;
  if (lag_minutes > longestLag) return true;
  const anchor = edgeEnds[type].fromFinish ? before.to : before.from;
  return lag_minutes < 0 && !edgeEnds[type].toFinish && place.from < anchor;
}
