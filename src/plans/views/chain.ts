// The duration of a plan's longest chain by its stated durations: how long it takes if nothing waits for a worker. Durations and edges
// come as columns, so 100,000 steps take a few megabytes.
import type { DependencyType } from '#domain/plan/plan.ts';

/** Links between steps by their index in `durations`; lags in minutes. */
export type Links = { from: number[]; to: number[]; types: DependencyType[]; lags: number[] };

/** Links out of each step: those of step i are `order[starts[i]]` to `order[starts[i + 1] - 1]`. */
function groupByFrom(steps: number, { from }: Links): { starts: Int32Array; order: Int32Array } {
  const starts = new Int32Array(steps + 1);
  for (const step of from) starts[step + 1] = (starts[step + 1] ?? 0) + 1;
  for (let i = 0; i < steps; i++) starts[i + 1] = (starts[i + 1] ?? 0) + (starts[i] ?? 0);
  const next = starts.slice();
  const order = new Int32Array(from.length);
  for (const [link, step] of from.entries()) {
    const place = next[step] ?? 0;
    order[place] = link;
    next[step] = place + 1;
  }
  return { starts, order };
}

/** The earliest start of the successor of `link`, when its predecessor starts at `start`. */
function startAfter(links: Links, link: number, start: number, durations: ArrayLike<number>) {
  const end = start + (durations[links.from[link] ?? 0] ?? 0);
  const own = durations[links.to[link] ?? 0] ?? 0;
  const type = links.types[link] ?? 'FS';
  const from = type === 'FS' || type === 'FF' ? end : start;
  const until = type === 'FF' || type === 'SF' ? own : 0;
  return from + (links.lags[link] ?? 0) - until;
}

/** Minutes from the first start to the last end. The links hold no cycle; a step in one would count as never begun. */
export function longestChain(durations: ArrayLike<number>, links: Links): number {
  const steps = durations.length;
  const { starts, order } = groupByFrom(steps, links);
  const unmet = new Int32Array(steps);
  for (const step of links.to) unmet[step] = (unmet[step] ?? 0) + 1;
  const begins = new Float64Array(steps);
  const free: number[] = [];
  for (let step = 0; step < steps; step++) if (unmet[step] === 0) free.push(step);
  let last = 0;
  for (let step = free.pop(); step !== undefined; step = free.pop()) {
    const start = begins[step] ?? 0;
    last = Math.max(last, start + (durations[step] ?? 0));
    for (let at = starts[step] ?? 0; at < (starts[step + 1] ?? 0); at++) {
      const link = order[at] ?? 0;
      const next = links.to[link] ?? 0;
      begins[next] = Math.max(begins[next] ?? 0, startAfter(links, link, start, durations));
      const left = (unmet[next] ?? 0) - 1;
      unmet[next] = left;
      if (left === 0) free.push(next);
    }
  }
  return last;
}
