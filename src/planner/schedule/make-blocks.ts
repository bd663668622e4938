// Turns placements into schedule blocks: which nodes need a time of their own, and which times hold steps back. Without stated
// times there are no blocks, or only forecasts.
import { edgeEnds } from '#domain/plan/edge-ends.ts';
import type { Roadmap } from '#domain/planning/roadmap.ts';
import type { ScheduleBlock } from '#domain/planning/schedule.ts';
import { dayOf, type Interval, startOfDay } from '#timeline/working-time.ts';
import { seriesOf } from '../order/outline-index.ts';
import { ownerOf, placeOfWork, type TimeModel, type WorkNode } from './time-model.ts';

/** Longest lag that an edge between steps can carry. */
const longestLag = 525_600;

export type BlockOptions = {
  places: ReadonlyMap<string, Interval>;
  edges: Roadmap['edges'];
  /** People's work is to lie in working hours, and waits for them. */
  asked: boolean;
  exact: ReadonlySet<string>;
  timezone: string;
};

/** In the order of the outline. */
export function makeBlocks(model: TimeModel, options: BlockOptions): ScheduleBlock[] {
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
    if (!holds && item.minutes === null) continue;
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

/** Places are put down in an order that respects precedence: what a node waits for comes before it. */
function sortAsPlaced(places: ReadonlyMap<string, Interval>, work: WorkNode[]): WorkNode[] {
  const rank = new Map([...places.keys()].map((id, at) => [ownerOf(id), at]));
  return work.toSorted((a, b) => (rank.get(a.id) ?? 0) - (rank.get(b.id) ?? 0));
}

/** A moment rather than a day: local midnight stands for a date without an hour, unless it was said to be exact. */
export function isMoment(
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
    // Moved by what it waits for, or into working hours. Steps that say the moment themselves wait for it anyway, and so
    // does what waits for something that waits for it.
    const says = item.node.steps.some((step) => step.not_before !== undefined);
    const covered = before.some(
      ({ from }) =>
        (context.work.get(from)?.release ?? Number.NEGATIVE_INFINITY) >= (item.release ?? 0),
    );
    if (item.person !== null || !(says || covered)) return true;
  }
  return before.some((edge) => needsHold(edge, place, context));
}

/**
 * Edges between steps wait for what has happened: a lead cannot be seen coming, so its moment is held where the moment it
 * counts from is held too. A lag of more than a year is longer than an edge can say.
 */
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
