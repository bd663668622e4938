// The duration of a plan's longest chain: how long it takes if nothing waits for a worker. Durations and edges come as columns,
// so 100,000 steps take a few megabytes.
import type { DependencyType } from '#domain/plan/dependency.ts';
import { edgeEnds } from '#domain/plan/edge-ends.ts';
import { buildDigraph, sortTopologically } from './digraph.ts';

/** Links between steps by their index in `durations`; lags in minutes. */
export type Links = { from: number[]; to: number[]; types: DependencyType[]; lags: number[] };

/** The earliest start of the successor of `link`, when its predecessor starts at `start`. */
export function startAfter(
  links: Links,
  link: number,
  start: number,
  durations: ArrayLike<number>,
): number {
  const end = start + (durations[links.from[link] ?? 0] ?? 0);
  const own = durations[links.to[link] ?? 0] ?? 0;
  const { fromFinish, toFinish } = edgeEnds[links.types[link] ?? 'FS'];
  return (fromFinish ? end : start) + (links.lags[link] ?? 0) - (toFinish ? own : 0);
}

/** Minutes from the first start to the last end. The links hold no cycle; a step in one would count as never begun. */
export function longestChain(durations: ArrayLike<number>, links: Links): number {
  const pairs: number[] = [];
  for (const [link, from] of links.from.entries()) pairs.push(from, links.to[link] ?? 0);
  const graph = buildDigraph(durations.length, pairs);
  const begins = new Float64Array(graph.size);
  let last = 0;
  for (const step of sortTopologically(graph)) {
    const start = begins[step] ?? 0;
    last = Math.max(last, start + (durations[step] ?? 0));
    for (let at = graph.offsets[step] ?? 0; at < (graph.offsets[step + 1] ?? 0); at++) {
      const next = graph.targets[at] ?? 0;
      const begin = startAfter(links, graph.arcs[at] ?? 0, start, durations);
      begins[next] = Math.max(begins[next] ?? 0, begin);
    }
  }
  return last;
}
