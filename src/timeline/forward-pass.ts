// Serial schedule generation; Kelley (1963), Kolisch (EJOR 90, 1996).
import type { DependencyType } from '#domain/plan/dependency.ts';
import { edgeEnds } from '#domain/plan/edge-ends.ts';
import {
  findPlace,
  findPlaceEnding,
  isFree,
  isOnePiece,
  openPersonTime,
  type PersonTime,
  type Placement,
  takePlace,
} from './person-time.ts';
import { type Demands, PoolTime } from './pool-time.ts';
import { type Interval, minuteMs, type WorkingTime } from './working-time.ts';

/** Epoch milliseconds. */
export type TimedNode = {
  id: string;
  /** Working time for people. */
  minutes: number;
  /** Null for a machine: any hour, in parallel. */
  person: string | null;
  /** Earliest start; the next two: exact start, latest end. */
  release: number | null;
  fixed: number | null;
  deadline: number | null;
  /** Starts at `release` unless moved, even outside working hours. */
  anyHour?: boolean;
  /** Pools held; machines only. */
  demands?: Demands;
};

/** `second` starts at most this long after `first`. */
type Limit = { first: string; second: string; minutes: number };

export type PassInput = {
  nodes: readonly TimedNode[];
  edges: readonly TimedEdge[];
  now: number;
  time: WorkingTime;
  minutesADay: number | null;
  busy: ReadonlyMap<string, readonly Interval[]>;
  limits?: readonly Limit[];
  /** Pools not listed are unlimited. */
  capacity?: Demands;
  /** Lowest first. Default: latest start that meets the deadlines. */
  priority?: ReadonlyMap<string, number>;
};

/** Milliseconds. `clash`: with another fixed time of the person. */
export type Lateness = {
  kind: 'deadline' | 'fixed' | 'clash';
  node: string;
  limit: number;
  by: number;
};

type Driver =
  | { kind: 'edge'; from: string }
  | { kind: 'person' }
  | { kind: 'release' }
  | { kind: 'now' };

export type Pass =
  | {
      kind: 'placed';
      places: Map<string, Interval>;
      late: Lateness[];
      drivers: Map<string, Driver>;
    }
  | { kind: 'cycle' }
  /** Within ten years. */
  | { kind: 'no_time'; node: string };

/** Passes. */
const mostShifts = 60;

/** Moves what comes too early and places all again. Limits still broken are late. */
export function runForwardPass(input: PassInput): Pass {
  const { limits = [] } = input;
  let { nodes } = input;
  for (let shifts = 0; ; shifts += 1) {
    const pass = placeAll({ ...input, nodes });
    if (pass.kind !== 'placed' || limits.length === 0) return pass;
    const { places } = pass;
    const begin = (id: string) => places.get(id)?.from ?? 0;
    const broken = limits.flatMap(({ first, second, minutes }) => {
      const limit = begin(first) + minutes * minuteMs;
      const by = begin(second) - limit;
      return by > 0 ? [{ first, node: second, limit, by }] : [];
    });
    if (broken.length === 0) return pass;
    if (shifts === mostShifts) {
      const late = broken.map(
        ({ node, limit, by }) => ({ kind: 'deadline', node, limit, by }) as const,
      );
      return { ...pass, late: [...pass.late, ...late] };
    }
    const starts = new Map<string, number>();
    for (const { first, by } of broken)
      starts.set(first, Math.max(starts.get(first) ?? 0, begin(first) + by));
    nodes = nodes.map((node) => ({ ...node, release: starts.get(node.id) ?? node.release }));
  }
}

function placeAll(input: PassInput): Pass {
  const nodes = new Map(
    input.nodes.map((node) => [node.id, { ...node, length: Math.round(node.minutes * minuteMs) }]),
  );
  const ids = input.nodes.map(({ id }) => id);
  const anyOrder = orderTopologically(ids, input.edges);
  if (anyOrder === null) return { kind: 'cycle' };
  const latest = input.priority ?? findLatestStarts(nodes, anyOrder, input.edges);
  const order =
    orderTopologically(ids, input.edges, (id) => latest.get(id) ?? Number.POSITIVE_INFINITY) ??
    anyOrder;
  const incoming = Map.groupBy(input.edges, ({ to }) => to);
  const fixed = new Map<string, Placement>();
  const people = openPeople(input, [...nodes.values()], fixed);
  const pools = new PoolTime(input.capacity ?? new Map());
  const hold = ({ demands = new Map() }: TimedNode, { from, to }: Interval) =>
    pools.take(demands, from, to);
  for (const node of nodes.values())
    if (node.fixed !== null) hold(node, fixed.get(node.id) ?? spanAt(node.fixed, node.length));
  const places = new Map<string, Interval>();
  const late = findClashes([...nodes.values()], fixed);
  const drivers = new Map<string, Driver>();
  for (const id of order) {
    const node = nodes.get(id);
    if (node === undefined) continue;
    const bounds = findBounds(incoming.get(id) ?? [], places);
    const asked = Math.max(input.now, node.release ?? input.now);
    const earliest = Math.max(asked, bounds.start);
    const person = node.person === null ? undefined : people.get(node.person);
    const place = fixed.get(id) ?? putNode(node, earliest, bounds.end, person, pools);
    if (place === null) return { kind: 'no_time', node: id };
    if (person !== undefined && node.fixed === null) takePlace(person, place);
    if (node.fixed === null) hold(node, place);
    places.set(id, { from: place.from, to: place.to });
    drivers.set(id, nameDriver(node, place, bounds, input.now));
    late.push(...findLateness(node, place, earliest, bounds.end));
  }
  return { kind: 'placed', places, late, drivers };
}

type Sized = TimedNode & { length: number };

const spanAt = (from: number, length: number): Placement => {
  const span = { from, to: from + length };
  return { ...span, segments: length > 0 ? [span] : [] };
};

/** Fixed times first; long ones continue on the next days. */
function openPeople(
  { busy, time, minutesADay, now }: PassInput,
  nodes: readonly Sized[],
  fixed: Map<string, Placement>,
): Map<string, PersonTime> {
  const mine = Map.groupBy(
    nodes.filter(({ person }) => person !== null),
    ({ person }) => person ?? '',
  );
  return new Map(
    [...mine].map(([person, own]) => {
      const opened = openPersonTime(time, busy.get(person) ?? [], minutesADay, now);
      for (const { id, fixed: from, length } of own.toSorted((a, b) => a.length - b.length)) {
        if (from === null) continue;
        const spread = isOnePiece(opened, length) ? null : findPlace(opened, from, length);
        const place = spread === null ? spanAt(from, length) : { ...spread, from };
        takePlace(opened, place);
        fixed.set(id, place);
      }
      return [person, opened];
    }),
  );
}

/** Names the later one. */
function findClashes(nodes: readonly Sized[], places: ReadonlyMap<string, Placement>): Lateness[] {
  const fixed = nodes
    .flatMap(({ id, person, fixed, length }) =>
      person === null || fixed === null || length === 0 ? [] : [{ id, person, fixed }],
    )
    .sort((a, b) => a.fixed - b.fixed);
  const late: Lateness[] = [];
  const reached = new Map<string, number>();
  for (const { id, person, fixed: limit } of fixed) {
    const until = reached.get(person) ?? limit;
    if (until > limit) late.push({ kind: 'clash', node: id, limit, by: until - limit });
    reached.set(person, Math.max(until, places.get(id)?.segments[0]?.to ?? limit));
  }
  return late;
}

type Bounds = { start: number; end: number; driver: string | null };

/** The binding one of the predecessors. */
function findBounds(edges: readonly TimedEdge[], places: ReadonlyMap<string, Interval>): Bounds {
  const bounds: Bounds = {
    start: Number.NEGATIVE_INFINITY,
    end: Number.NEGATIVE_INFINITY,
    driver: null,
  };
  for (const edge of edges) {
    const place = places.get(edge.from);
    if (place === undefined) continue;
    const bound = boundOf(edge, place);
    const side = edgeEnds[edge.type].toFinish ? 'end' : 'start';
    if (bound <= bounds[side]) continue;
    bounds[side] = bound;
    bounds.driver = edge.from;
  }
  return bounds;
}

function putNode(
  node: Sized,
  earliest: number,
  endAtLeast: number,
  person: PersonTime | undefined,
  pools: PoolTime,
): Placement | null {
  if (node.fixed !== null) return spanAt(node.fixed, node.length);
  if (person === undefined) {
    const from = Math.max(earliest, endAtLeast - node.length);
    const room =
      node.demands === undefined ? from : pools.findRoom(node.demands, from, node.length);
    return room === null ? null : spanAt(room, node.length);
  }
  if (
    node.anyHour === true &&
    node.release === earliest &&
    endAtLeast <= earliest + node.length &&
    isOnePiece(person, node.length)
  ) {
    const named = spanAt(earliest, node.length);
    if (isFree(person, named)) return named;
  }
  return findPlaceEnding(person, earliest, node.length, endAtLeast);
}

function findLateness(
  node: Sized,
  place: Interval,
  earliest: number,
  endAtLeast: number,
): Lateness[] {
  const late: Lateness[] = [];
  if (node.fixed !== null) {
    const by = Math.max(earliest - place.from, endAtLeast - place.to);
    if (by > 0) late.push({ kind: 'fixed', node: node.id, limit: node.fixed, by });
  }
  if (node.deadline !== null && place.to > node.deadline)
    late.push({
      kind: 'deadline',
      node: node.id,
      limit: node.deadline,
      by: place.to - node.deadline,
    });
  return late;
}

function nameDriver(node: Sized, place: Interval, bounds: Bounds, now: number): Driver {
  const bound = Math.max(bounds.start, bounds.end - node.length);
  const own = node.fixed ?? node.release;
  if (bounds.driver !== null && bound >= Math.max(now, own ?? now))
    return place.from > bound && node.person !== null && place.from > bounds.end
      ? { kind: 'person' }
      : { kind: 'edge', from: bounds.driver };
  if (own !== null && own > now) return { kind: 'release' };
  return node.person !== null && place.from > now ? { kind: 'person' } : { kind: 'now' };
}

/** The lag is elapsed time; negative for a lead. */
export type TimedEdge = { from: string; to: string; type: DependencyType; lag_minutes: number };

export function boundOf(edge: TimedEdge, place: Interval): number {
  const anchor = edgeEnds[edge.type].fromFinish ? place.to : place.from;
  return anchor + edge.lag_minutes * minuteMs;
}

/** Null for a cycle. Ties: lowest `urgency`, then order of `ids`. */
export function orderTopologically(
  ids: readonly string[],
  edges: readonly TimedEdge[],
  urgency: (id: string) => number = () => 0,
): string[] | null {
  const waits = new Map(ids.map((id) => [id, 0]));
  const out = Map.groupBy(edges, ({ from }) => from);
  for (const { to } of edges) waits.set(to, (waits.get(to) ?? 0) + 1);
  const position = new Map(ids.map((id, index) => [id, index]));
  const ready = createHeap<{ id: string; urgency: number; position: number }>((a, b) =>
    a.urgency === b.urgency ? a.position - b.position : a.urgency < b.urgency ? -1 : 1,
  );
  const release = (id: string) =>
    ready.push({ id, urgency: urgency(id), position: position.get(id) ?? 0 });
  for (const id of ids) if (waits.get(id) === 0) release(id);
  const order: string[] = [];
  for (let next = ready.pop(); next !== undefined; next = ready.pop()) {
    order.push(next.id);
    for (const { to } of out.get(next.id) ?? []) {
      const left = (waits.get(to) ?? 0) - 1;
      waits.set(to, left);
      if (left === 0) release(to);
    }
  }
  return order.length === ids.length ? order : null;
}

type Dated = { id: string; length: number; deadline: number | null };

/** Ignores people's time; Infinity without a deadline. */
function findLatestStarts(
  nodes: ReadonlyMap<string, Dated>,
  order: readonly string[],
  edges: readonly TimedEdge[],
): Map<string, number> {
  const out = Map.groupBy(edges, ({ from }) => from);
  const latest = new Map<string, number>();
  for (const id of order.toReversed()) {
    const length = nodes.get(id)?.length ?? 0;
    let end = nodes.get(id)?.deadline ?? Number.POSITIVE_INFINITY;
    for (const { to, type, lag_minutes } of out.get(id) ?? []) {
      const start = latest.get(to) ?? Number.POSITIVE_INFINITY;
      const { fromFinish, toFinish } = edgeEnds[type];
      const anchor = toFinish ? start + (nodes.get(to)?.length ?? 0) : start;
      const bound = anchor - lag_minutes * minuteMs;
      end = Math.min(end, fromFinish ? bound : bound + length);
    }
    latest.set(id, end - length);
  }
  return latest;
}

type Heap<T> = { size(): number; push(item: T): void; pop(): T | undefined };

export function createHeap<T>(compare: (a: T, b: T) => number): Heap<T> {
  const items: T[] = [];
  const isBefore = (a: number, b: number) => {
    const [one, other] = [items[a], items[b]];
    return one !== undefined && other !== undefined && compare(one, other) < 0;
  };
  const swap = (a: number, b: number) => {
    const [one, other] = [items[a], items[b]];
    if (one === undefined || other === undefined) return;
    items[a] = other;
    items[b] = one;
  };
  return {
    size: () => items.length,
    push(item) {
      items.push(item);
      for (let at = items.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1;
        if (!isBefore(at, parent)) return;
        swap(at, parent);
        at = parent;
      }
    },
    pop() {
      swap(0, items.length - 1);
      const first = items.pop();
      for (let at = 0; ; ) {
        const left = 2 * at + 1;
        const child = isBefore(left + 1, left) ? left + 1 : left;
        if (!isBefore(child, at)) return first;
        swap(at, child);
        at = child;
      }
    },
  };
}
