// Compares a schedule with other demands on people's time.
import { edgeEnds } from '#domain/plan/edge-ends.ts';
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { Roadmap } from '#domain/planning/roadmap.ts';
import type { BookedWeek, Conflict, PortfolioReport, Schedule } from '#domain/planning/schedule.ts';
import { shorten } from '#domain/words.ts';
import { boundOf } from '#timeline/forward-pass.ts';
import {
  dayOf,
  findFirstAfter,
  type Interval,
  intersectIntervals,
  measureIntervals,
  mergeIntervals,
  minuteMs,
  openWorkingTime,
  printDay,
  startOfDay,
  subtractIntervals,
  type WorkingTime,
  workingTimeWithin,
} from '#timeline/working-time.ts';
import type { BusyTime } from './busy.ts';

export type ProbedSchedule = {
  outline: PlanOutline;
  roadmap: Pick<Roadmap, 'edges'>;
  schedule: Schedule;
  now: number;
};

type Own = Interval & { node: string; person: string; fixed: boolean; length: number };

const horizonMs = 14 * 86_400_000;
const maxShown = 100;

/** Blocks without a person's time can't conflict. O(n log n). */
export function probeTimes(
  probed: ProbedSchedule,
  busy: readonly BusyTime[],
): Pick<PortfolioReport, 'conflicts' | 'utilisation' | 'weeks'> {
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
    conflicts: found.flatMap(({ conflicts }) => conflicts).slice(0, maxShown),
    utilisation: shareOf(used, room),
    weeks: found.flatMap(({ weeks }) => weeks).slice(0, maxShown),
  };
}

const shareOf = (used: number, room: number): number | null =>
  room > 0 ? Math.round((used / room) * 1000) / 1000 : null;

function probePerson(
  probed: ProbedSchedule,
  own: Own[],
  busy: BusyTime[],
): { conflicts: Conflict[]; used: number; room: number; weeks: BookedWeek[] } {
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
  let reported = 0;
  const conflicts = own.flatMap((block) => {
    if (reported >= maxShown) return [];
    const met = overlapping(sorted, longest, block);
    if (met.length === 0 || hasRoom(block, free)) return [];
    reported += met.length;
    const rooms = findRooms(block, free, own, probed);
    const shift_to = findNearest(block, rooms);
    const slots = findSlots(block, rooms, time).map((slot) => new Date(slot).toISOString());
    return met.map(({ with: what, source, from, to }) => ({
      node: block.node,
      with: shorten(what, 300),
      source,
      starts_at: new Date(Math.max(from, block.from)).toISOString(),
      ends_at: new Date(Math.min(to, block.to)).toISOString(),
      shift_to: shift_to === null ? null : new Date(shift_to).toISOString(),
      slots,
    }));
  });
  const measure = (within: Interval, work: number) => {
    const inside = workingTimeWithin(time, within);
    const taken = sorted
      .filter(({ from, to }) => from < within.to && to > within.from)
      .reduce((sum, one) => sum + measureIntervals(intersectIntervals(inside, [one])), 0);
    const most = schedule.profile.minutes_a_day;
    const room =
      most === null ? measureIntervals(inside) : capacity(inside, most, schedule.timezone);
    return { used: work + taken, room };
  };
  const weeks = weeksOf(own, schedule.timezone).flatMap((week): BookedWeek[] => {
    const now = Math.min(probed.now, span.from);
    const within = { from: Math.max(week.from, now), to: week.to };
    const work = own.reduce((sum, block) => sum + workWithin(block, week, time), 0);
    const { used, room } = measure(within, work);
    const share = shareOf(used, room);
    const from = printDay(dayOf(week.from, schedule.timezone));
    return share === null || work === 0 ? [] : [{ person: own[0]?.person ?? '', from, share }];
  });
  return {
    conflicts,
    weeks,
    ...measure(
      span,
      own.reduce((sum, { length }) => sum + length, 0),
    ),
  };
}

/** Working time; a block outside counts in the week it starts. */
function workWithin({ from, to, length }: Own, week: Interval, time: WorkingTime): number {
  if (from >= week.to || to < week.from) return 0;
  if (from >= week.from && to <= week.to) return length;
  const part = { from: Math.max(from, week.from), to: Math.min(to, week.to) };
  const [all, own] = [{ from, to }, part].map((span) =>
    measureIntervals(workingTimeWithin(time, span)),
  );
  return all === undefined || own === undefined || all === 0
    ? from >= week.from
      ? length
      : 0
    : (length * own) / all;
}

/** Monday to Monday. */
function weeksOf(own: readonly Own[], timezone: string): Interval[] {
  const mondays = new Set<number>();
  for (const { from, to } of own) {
    const last = dayOf(Math.max(from, to - 1), timezone);
    // Day 0, 1 January 1970, was a Thursday.
    for (let day = dayOf(from, timezone); day <= last + 6; day += 7) {
      const monday = day - ((day + 3) % 7);
      if (monday <= last) mondays.add(monday);
    }
  }
  return [...mondays]
    .sort((a, b) => a - b)
    .map((day) => ({ from: startOfDay(day, timezone), to: startOfDay(day + 7, timezone) }));
}

/** Latest end up to each index of a sorted list. */
function prefixEnds(sorted: readonly Interval[]): number[] {
  let latest = Number.NEGATIVE_INFINITY;
  return sorted.map(({ to }) => {
    latest = Math.max(latest, to);
    return latest;
  });
}

/** A moment without length overlaps events at that time. */
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

function hasRoom({ fixed, from, to, length }: Own, free: readonly Interval[]): boolean {
  if (fixed || to - from <= length) return false;
  return measureIntervals(intersectIntervals(free, [{ from, to }])) >= length;
}

/** Free starts after dependencies, in working hours. */
function findRooms(
  block: Own,
  free: readonly Interval[],
  own: readonly Own[],
  { roadmap, schedule, now }: ProbedSchedule,
): Interval[] {
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
      return Math.max(latest, edgeEnds[edge.type].toFinish ? bound - block.length : bound);
    }, now);
  const mine = mergeIntervals(own.filter(({ node }) => node !== block.node));
  const rooms = subtractIntervals(free, mine);
  const found: Interval[] = [];
  for (let i = findFirstAfter(rooms, earliest); i < rooms.length; i += 1) {
    const room = rooms[i];
    if (room === undefined || room.from > block.from + horizonMs) break;
    const first = Math.max(room.from, earliest);
    const last = room.to - Math.max(block.length, 1);
    if (last >= first) found.push({ from: first, to: last });
  }
  return found;
}

function findNearest(block: Own, rooms: readonly Interval[]): number | null {
  let best: number | null = null;
  for (const { from, to } of rooms) {
    const start = Math.min(Math.max(block.from, from), to);
    if (best === null || Math.abs(start - block.from) < Math.abs(best - block.from)) best = start;
  }
  return best;
}

const quarterMs = 15 * minuteMs;

/** Preferably on a quarter of an hour; null if none before `until`. */
function startFrom(rooms: readonly Interval[], at: number, until: number): number | null {
  for (const { from, to } of rooms) {
    const start = Math.max(from, at);
    if (start > to) continue;
    if (start >= until) return null;
    const round = Math.ceil(start / quarterMs) * quarterMs;
    return round <= to ? round : start;
  }
  return null;
}

/** Same day, later first; then the next day with room, at the same time if free. */
function findSlots(block: Own, rooms: readonly Interval[], { timezone }: WorkingTime): number[] {
  const day = dayOf(block.from, timezone);
  const begin = startOfDay(day, timezone);
  const end = startOfDay(day + 1, timezone);
  const same = startFrom(rooms, block.from, end) ?? startFrom(rooms, begin, end);
  const slots = same === null ? [] : [same];
  const [next] = rooms.filter(({ to }) => to >= end);
  if (next === undefined) return slots;
  const nextDay = dayOf(Math.max(next.from, end), timezone);
  const from = startOfDay(nextDay, timezone);
  const until = startOfDay(nextDay + 1, timezone);
  const usual = from + (block.from - begin);
  const later = startFrom(rooms, usual, until) ?? startFrom(rooms, from, until);
  return later === null || later === same ? slots : [...slots, later];
}

function capacity(inside: readonly Interval[], most: number, timezone: string): number {
  const days = new Map<number, number>();
  for (const { from, to } of inside) {
    const day = dayOf(from, timezone);
    days.set(day, (days.get(day) ?? 0) + (to - from));
  }
  return [...days.values()].reduce((sum, worked) => sum + Math.min(worked, most * minuteMs), 0);
}
