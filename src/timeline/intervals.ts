// Sets of half-open time intervals in milliseconds since 1970. Lists are sorted and disjoint after `merge`.

/** From `from`, up to but excluding `to`. */
export type Interval = { from: number; to: number };

/** Sorts and joins overlapping or adjacent intervals; drops empty ones. */
export function mergeIntervals(intervals: Iterable<Interval>): Interval[] {
  const sorted = [...intervals]
    .filter(({ from, to }) => to > from)
    .sort((a, b) => a.from - b.from || a.to - b.to);
  const merged: Interval[] = [];
  for (const { from, to } of sorted) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}

/** Intersection of two merged lists. */
export function intersectIntervals(a: readonly Interval[], b: readonly Interval[]): Interval[] {
  const both: Interval[] = [];
  for (let i = 0, j = 0; ; ) {
    const [one, other] = [a[i], b[j]];
    if (one === undefined || other === undefined) return both;
    const from = Math.max(one.from, other.from);
    const to = Math.min(one.to, other.to);
    if (to > from) both.push({ from, to });
    if (one.to <= other.to) i += 1;
    else j += 1;
  }
}

/** `whole` without `taken`; both merged. */
export function subtractIntervals(
  whole: readonly Interval[],
  taken: readonly Interval[],
): Interval[] {
  const left: Interval[] = [];
  let next = 0;
  for (const { from, to } of whole) {
    let at = from;
    while ((taken[next]?.to ?? Number.POSITIVE_INFINITY) <= from) next += 1;
    for (let i = next; ; i += 1) {
      const hole = taken[i];
      if (hole === undefined || hole.from >= to) break;
      if (hole.from > at) left.push({ from: at, to: hole.from });
      at = Math.max(at, hole.to);
    }
    if (at < to) left.push({ from: at, to });
  }
  return left;
}

/** Total length in milliseconds. */
export function measureIntervals(intervals: Iterable<Interval>): number {
  let sum = 0;
  for (const { from, to } of intervals) sum += to - from;
  return sum;
}

/** Index of the first interval of a merged list that ends after `at`. */
export function findFirstAfter(intervals: readonly Interval[], at: number): number {
  let low = 0;
  let high = intervals.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((intervals[middle]?.to ?? Number.POSITIVE_INFINITY) > at) high = middle;
    else low = middle + 1;
  }
  return low;
}
