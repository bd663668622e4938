// Generalised precedence relations with minimal time lags: FS, SS, FF and SF with lag or lead, as bounds on starts and ends.
// Elmaghraby and Kamburowski, "The analysis of activity networks under generalized precedence relations", Management Science
// 38(9), 1992.
import type { DependencyType } from '#domain/plan/dependency.ts';
import { edgeEnds } from '#domain/plan/edge-ends.ts';
import { type Interval, minuteMs } from './working-time.ts';

/** `to` waits for `from`; the lag is elapsed time, and negative for a lead. */
export type TimedEdge = { from: string; to: string; type: DependencyType; lag_minutes: number };

/** The bound on the successor's start or end, given the predecessor's `place`. */
export function boundOf(edge: TimedEdge, place: Interval): number {
  const anchor = edgeEnds[edge.type].fromFinish ? place.to : place.from;
  return anchor + edge.lag_minutes * minuteMs;
}

/** A topological order, or null for a cycle. Ties go to the lowest `urgency`, then to the order of `ids`. */
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

/** Latest start of each node that meets every deadline, ignoring people's time; Infinity if none depends on it. */
export function findLatestStarts(
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

/** `compare` as for sorting. Push and pop take logarithmic time. */
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
