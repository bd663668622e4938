// Compares a schedule with everything else that takes people's time: overlaps, free slots and load.
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { Roadmap } from '#domain/planning/roadmap.ts';
import type { Conflict, PortfolioReport, Schedule } from '#domain/planning/schedule.ts';
import { shorten } from '#domain/words.ts';
import {
  findFirstAfter,
  type Interval,
  intersectIntervals,
  measureIntervals,
  mergeIntervals,
  subtractIntervals,
} from '#timeline/intervals.ts';
import { bindsEnd, boundOf } from '#timeline/precedence.ts';
import { dayOf, minuteMs, openWorkingTime, workingTimeWithin } from '#timeline/working-time.ts';
import type { BusyTime } from './busy.ts';

export type ProbedSchedule = {
  outline: PlanOutline;
  roadmap: Pick<Roadmap, 'edges'>;
  schedule: Schedule;
  now: number;
};

type Own = Interval & { node: string; person: string; fixed: boolean; length: number };

const horizonMs = 14 * 86_400_000;
const toldAtMost = 100;

/** Only blocks that take a person's time can be in the way of something. n log n in blocks and busy times. */
export function probeTimes(
  probed: ProbedSchedule,
  busy: readonly BusyTime[],
): Pick<PortfolioReport, 'conflicts' | 'utilisation'> {
  const { outline, schedule } = probed;
  const minutes = new Map(outline.nodes.map(({ id, duration_minutes }) => [id, duration_minutes]));
  const own = schedule.blocks.flatMap(({ node, person, fixed, starts_at, ends_at }): Own[] => {
    if (person === null) return [];
    const [from, to] = [Date.parse(starts_at), Date.parse(ends_at)];
    const needed = minutes.get(node) ?? null;
    const length = needed === null ? to - from : Math.min(needed * minuteMs, to - from);
    return [{ node, person, fixed, from, to, length }];
  });
  const people = Map.groupBy(own, ({ person }) => person);
  const others = Map.groupBy(busy, ({ person }) => person);
  const found = [...people].map(([person, mine]) =>
    probePerson(probed, mine, others.get(person) ?? []),
  );
  const used = found.reduce((sum, one) => sum + one.used, 0);
  const room = found.reduce((sum, one) => sum + one.room, 0);
  return {
    conflicts: found.flatMap(({ conflicts }) => conflicts).slice(0, toldAtMost),
    utilisation: room > 0 ? Math.round((used / room) * 1000) / 1000 : null,
  };
}

function probePerson(
  probed: ProbedSchedule,
  own: Own[],
  busy: BusyTime[],
): { conflicts: Conflict[]; used: number; room: number } {
  const { schedule } = probed;
  const time = openWorkingTime(schedule.profile, schedule.timezone);
  const span = {
    from: Math.min(...own.map(({ from }) => from)),
    to: Math.max(...own.map(({ to }) => to)),
  };
  const working = workingTimeWithin(time, {
    from: Math.min(span.from, probed.now),
    to: span.to + horizonMs,
  });
  const taken = mergeIntervals(busy);
  const free = subtractIntervals(working, taken);
  const sorted = busy.toSorted((a, b) => a.from - b.from);
  const longest = prefixEnds(sorted);
  let told = 0;
  const conflicts = own.flatMap((block) => {
    if (told >= toldAtMost) return [];
    const met = overlapping(sorted, longest, block);
    if (met.length === 0 || hasRoom(block, free)) return [];
    told += met.length;
    const shift_to = findRoom(block, free, own, probed);
    return met.map(({ with: what, source, from, to }) => ({
      node: block.node,
      with: shorten(what, 300),
      source,
      starts_at: new Date(Math.max(from, block.from)).toISOString(),
      ends_at: new Date(Math.min(to, block.to)).toISOString(),
      shift_to: shift_to === null ? null : new Date(shift_to).toISOString(),
    }));
  });
  const inside = workingTimeWithin(time, span);
  const used =
    own.reduce((sum, { length }) => sum + length, 0) +
    sorted
      .filter(({ from, to }) => from < span.to && to > span.from)
      .reduce((sum, one) => sum + measureIntervals(intersectIntervals(inside, [one])), 0);
  const most = schedule.profile.minutes_a_day;
  return {
    conflicts,
    used,
    room: most === null ? measureIntervals(inside) : capacity(inside, most, schedule.timezone),
  };
}

/** For each place in a list sorted by begin, the latest end up to there. */
function prefixEnds(sorted: readonly Interval[]): number[] {
  let latest = Number.NEGATIVE_INFINITY;
  return sorted.map(({ to }) => {
    latest = Math.max(latest, to);
    return latest;
  });
}

/** Those that overlap the block, found from the first that can. A moment without length meets what goes on then. */
function overlapping(sorted: BusyTime[], longest: number[], block: Own): BusyTime[] {
  const from = block.from;
  const to = Math.max(block.to, block.from + 1);
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((longest[middle] ?? 0) > from) high = middle;
    else low = middle + 1;
  }
  const met: BusyTime[] = [];
  for (let i = low; i < sorted.length && met.length < 20; i += 1) {
    const one = sorted[i];
    if (one === undefined || one.from >= to) break;
    if (one.to > from) met.push(one);
  }
  return met;
}

/** Work over several days goes around what lies in between, as long as enough is left. A fixed moment does not. */
function hasRoom({ fixed, from, to, length }: Own, free: readonly Interval[]): boolean {
  if (fixed || to - from <= length) return false;
  return measureIntervals(intersectIntervals(free, [{ from, to }])) >= length;
}

/** The start nearest to the block's at which it would meet nothing: not before what it waits for, in working hours. */
function findRoom(
  block: Own,
  free: readonly Interval[],
  own: readonly Own[],
  { roadmap, schedule, now }: ProbedSchedule,
): number | null {
  const blocks = new Map(
    schedule.blocks.map(({ node, starts_at, ends_at }) => [
      node,
      { from: Date.parse(starts_at), to: Date.parse(ends_at) },
    ]),
  );
  const earliest = roadmap.edges
    .filter(({ to }) => to === block.node)
    .reduce((latest, edge) => {
      const before = blocks.get(edge.from);
      if (before === undefined) return latest;
      const bound = boundOf(edge, before);
      return Math.max(latest, bindsEnd(edge.type) ? bound - block.length : bound);
    }, now);
  const mine = mergeIntervals(own.filter(({ node }) => node !== block.node));
  const rooms = subtractIntervals(free, mine);
  let best: number | null = null;
  for (let i = findFirstAfter(rooms, earliest); i < rooms.length; i += 1) {
    const room = rooms[i];
    if (room === undefined || room.from > block.from + horizonMs) break;
    const first = Math.max(room.from, earliest);
    const last = room.to - Math.max(block.length, 1);
    if (last < first) continue;
    const start = Math.min(Math.max(block.from, first), last);
    if (best === null || Math.abs(start - block.from) < Math.abs(best - block.from)) best = start;
  }
  return best;
}

/** Working time of a span, with no more than `most` minutes of each day. */
function capacity(inside: readonly Interval[], most: number, timezone: string): number {
  const days = new Map<number, number>();
  for (const { from, to } of inside) {
    const day = dayOf(from, timezone);
    days.set(day, (days.get(day) ?? 0) + (to - from));
  }
  return [...days.values()].reduce((sum, worked) => sum + Math.min(worked, most * minuteMs), 0);
}
