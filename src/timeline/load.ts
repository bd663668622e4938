// Whether a person can do everything due (Horn, 1974).
import { createHeap } from './forward-pass.ts';
import { type Interval, mergeIntervals } from './working-time.ts';

/** Milliseconds of work due within the span. */
export type Load = Interval & { id: string; length: number };

/** Earliest due date first, with preemption, in merged time. O(n log n). */
export function findOverload(loads: readonly Load[], available: readonly Interval[]): Load[] {
  const byBegin = loads.filter(({ length }) => length > 0).sort((a, b) => a.from - b.from);
  const open = createHeap<{ load: Load; left: number }>((a, b) => a.load.to - b.load.to);
  const failed: Load[] = [];
  let next = 0;
  const enter = (at: number) => {
    for (let load = byBegin[next]; load !== undefined && load.from <= at; load = byBegin[next]) {
      open.push({ load, left: load.length });
      next += 1;
    }
  };
  let current: { load: Load; left: number } | undefined;
  for (const { from, to } of mergeIntervals(available)) {
    for (let at = from; at < to; ) {
      enter(at);
      current = open.pop();
      const arrival = byBegin[next]?.from ?? Number.POSITIVE_INFINITY;
      if (current === undefined) {
        if (arrival >= to) break;
        at = Math.max(at, arrival);
        continue;
      }
      if (current.load.to - at < current.left && isTooLate(current, at)) {
        failed.push(current.load);
        continue;
      }
      const until = Math.min(to, arrival, at + current.left);
      current.left -= until - at;
      at = until;
      if (current.left > 0) open.push(current);
    }
  }
  enter(Number.POSITIVE_INFINITY);
  for (let rest = open.pop(); rest !== undefined; rest = open.pop()) failed.push(rest.load);
  return failed;
}

/** Durations are in minutes, times in milliseconds. */
function isTooLate({ load, left }: { load: Load; left: number }, at: number): boolean {
  return left - (load.to - at) > 1000;
}
