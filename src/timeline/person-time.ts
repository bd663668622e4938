// A person's taken and free time during scheduling.
import {
  findFirstAfter,
  type Interval,
  mergeIntervals,
  minuteMs,
  type WorkingTime,
} from './working-time.ts';

/** `segments`: actually worked. */
export type Placement = Interval & { segments: Interval[] };

export type PersonTime = {
  time: WorkingTime;
  /** Milliseconds; null: all working hours. */
  mostADay: number | null;
  /** Events and placed work, merged. */
  taken: Interval[];
  /** Milliseconds per day. */
  used: Map<number, number>;
  /** Skips what is full before. */
  fullUntil: number;
};

/** Beyond it, work is split. */
const maxWaitMs = 14 * 86_400_000;

type Free = Interval & { day: number };

export function openPersonTime(
  time: WorkingTime,
  busy: Iterable<Interval>,
  minutesADay: number | null,
  begin: number,
): PersonTime {
  return {
    time,
    mostADay: minutesADay === null ? null : minutesADay * minuteMs,
    taken: mergeIntervals(busy),
    used: new Map(),
    fullUntil: begin,
  };
}

/** Null within the horizon. Work that fits a usual stretch stays whole. */
export function findPlace(person: PersonTime, earliest: number, length: number): Placement | null {
  const from = Math.max(earliest, person.fullUntil);
  if (isOnePiece(person, length)) {
    const place = findStretch(person, from, length);
    if (place !== null) return place;
  }
  return spread(person, from, length);
}

/** Ends at `endAtLeast` or later. */
export function findPlaceEnding(
  person: PersonTime,
  earliest: number,
  length: number,
  endAtLeast: number,
): Placement | null {
  const first = findPlace(person, earliest, length);
  if (first === null || first.to >= endAtLeast) return first;
  if (isOnePiece(person, length)) return findPlace(person, endAtLeast - length, length);
  // The end grows with the start, so binary search works.
  let low = first.from;
  let high = endAtLeast - length;
  let found = findPlace(person, high, length);
  while (high - low > minuteMs) {
    const middle = Math.floor((low + high) / 2 / minuteMs) * minuteMs;
    if (middle <= low) break;
    const place = findPlace(person, middle, length);
    if (place !== null && place.to >= endAtLeast) {
      found = place;
      high = middle;
    } else low = middle;
  }
  return found;
}

export function isFree(person: PersonTime, span: Interval): boolean {
  const next = person.taken[findFirstAfter(person.taken, span.from)];
  return next === undefined || next.from >= span.to;
}

export function takePlace(person: PersonTime, place: Placement): void {
  for (const segment of place.segments) insert(person.taken, segment);
  if (person.mostADay !== null) {
    for (const { from, to } of place.segments) {
      for (const window of person.time.windowsFrom(from)) {
        if (window.from >= to) break;
        const worked = Math.min(window.to, to) - Math.max(window.from, from);
        person.used.set(window.day, (person.used.get(window.day) ?? 0) + worked);
      }
    }
  }
  advance(person);
}

function advance(person: PersonTime): void {
  for (const { from } of freeFrom(person, person.fullUntil)) {
    person.fullUntil = from;
    return;
  }
}

export function isOnePiece(person: PersonTime, length: number): boolean {
  return length <= person.time.longest && (person.mostADay === null || length <= person.mostADay);
}

/** Within each day's capacity. */
function* freeFrom(person: PersonTime, at: number): Iterable<Free> {
  let next = findFirstAfter(person.taken, at);
  for (const window of person.time.windowsFrom(at)) {
    if (remainingOn(person, window.day) <= 0) continue;
    let from = Math.max(window.from, at);
    while ((person.taken[next]?.to ?? Number.POSITIVE_INFINITY) <= from) next += 1;
    for (let i = next; from < window.to; i += 1) {
      const hole = person.taken[i];
      const to = Math.min(hole?.from ?? window.to, window.to);
      if (to > from) yield { from, to, day: window.day };
      from = Math.max(from, hole?.to ?? window.to);
      if (hole === undefined) break;
    }
  }
}

function remainingOn(person: PersonTime, day: number): number {
  if (person.mostADay === null) return Number.POSITIVE_INFINITY;
  return person.mostADay - (person.used.get(day) ?? 0);
}

function findStretch(person: PersonTime, earliest: number, length: number): Placement | null {
  let run: Free[] = [];
  for (const free of freeFrom(person, earliest)) {
    if (free.from > earliest + maxWaitMs) return null;
    if (run.at(-1)?.to !== free.from) run = [];
    run.push(free);
    const place = fitInto(person, run, length);
    if (place !== null) return place;
  }
  return null;
}

function fitInto(person: PersonTime, run: Free[], length: number): Placement | null {
  for (const [i, first] of run.entries()) {
    const from = first.from;
    let left = length;
    const days = new Map<number, number>();
    for (const free of run.slice(i)) {
      const room = remainingOn(person, free.day) - (days.get(free.day) ?? 0);
      const part = Math.min(left, free.to - free.from);
      if (part > room) break;
      days.set(free.day, (days.get(free.day) ?? 0) + part);
      left -= part;
      if (left <= 0) return { from, to: from + length, segments: toSegments(from, from + length) };
    }
  }
  return null;
}

function spread(person: PersonTime, earliest: number, length: number): Placement | null {
  const segments: Interval[] = [];
  const days = new Map<number, number>();
  let left = length;
  for (const free of freeFrom(person, earliest)) {
    if (left <= 0 && segments.length === 0) return { from: free.from, to: free.from, segments };
    const room = remainingOn(person, free.day) - (days.get(free.day) ?? 0);
    const part = Math.min(left, room, free.to - free.from);
    if (part <= 0) continue;
    days.set(free.day, (days.get(free.day) ?? 0) + part);
    segments.push({ from: free.from, to: free.from + part });
    left -= part;
    if (left > 0) continue;
    const merged = mergeIntervals(segments);
    const [first] = merged;
    return first === undefined
      ? null
      : { from: first.from, to: free.from + part, segments: merged };
  }
  return null;
}

function toSegments(from: number, to: number): Interval[] {
  return to > from ? [{ from, to }] : [];
}

/** `list` is merged. */
function insert(list: Interval[], span: Interval): void {
  if (span.to <= span.from) return;
  const before = findFirstAfter(list, span.from - 1);
  let after = before;
  let { from, to } = span;
  for (let item = list[after]; item !== undefined && item.from <= to; item = list[after]) {
    from = Math.min(from, item.from);
    to = Math.max(to, item.to);
    after += 1;
  }
  list.splice(before, after - before, { from, to });
}
