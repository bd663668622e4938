// A plan's longest chain, over columns: 100,000 steps take a few megabytes.
import type { DependencyType } from '#domain/plan/dependency.ts';
import { edgeEnds } from '#domain/plan/edge-ends.ts';
import { buildDigraph, sortTopologically } from './digraph.ts';

/** Between indexes in `durations`; lags in minutes. */
export type Links = { from: number[]; to: number[]; types: DependencyType[]; lags: number[] };

/** The earliest, if its predecessor starts at `start`. */
function startAfter(
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

/** Minutes from first start to last end. Steps in cycles don't count. */
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

/** By step, in minutes. */
export type Placing = {
  durations: ArrayLike<number>;
  /** Earliest start, or -Infinity. */
  earliest: ArrayLike<number>;
  /** Past or scheduled; NaN if placed by predecessors. */
  begins: ArrayLike<number>;
  ends: ArrayLike<number>;
  links: Links;
};

export type Placed = {
  begins: Float64Array;
  ends: Float64Array;
  path: number[];
  levels: Int32Array;
};

/** @param start of steps that wait for nothing; those in cycles are placed there too */
export function findCriticalPath(
  { durations, earliest, begins: fixed, ends: fixedEnds, links }: Placing,
  start: number,
): Placed {
  const pairs: number[] = [];
  for (const [link, from] of links.from.entries()) pairs.push(from, links.to[link] ?? 0);
  const graph = buildDigraph(durations.length, pairs);
  const bounds = new Float64Array(graph.size).fill(Number.NEGATIVE_INFINITY);
  const drivers = new Int32Array(graph.size).fill(-1);
  const begins = new Float64Array(graph.size).fill(start);
  const ends = new Float64Array(graph.size).fill(start);
  const levels = new Int32Array(graph.size);
  const lengths = new Float64Array(graph.size);
  for (let step = 0; step < graph.size; step++) {
    const [from, to] = [fixed[step] ?? Number.NaN, fixedEnds[step] ?? Number.NaN];
    lengths[step] = Number.isNaN(from) ? (durations[step] ?? 0) : to - from;
  }
  for (const step of sortTopologically(graph)) {
    const own = earliest[step] ?? Number.NEGATIVE_INFINITY;
    const bound = Math.max(start, bounds[step] ?? Number.NEGATIVE_INFINITY);
    const stood = fixed[step] ?? Number.NaN;
    // A step delayed by its own date starts the path.
    if (Number.isNaN(stood) && own > bound) drivers[step] = -1;
    const begin = Number.isNaN(stood) ? Math.max(own, bound) : stood;
    begins[step] = begin;
    ends[step] = begin + (lengths[step] ?? 0);
    for (let at = graph.offsets[step] ?? 0; at < (graph.offsets[step + 1] ?? 0); at++) {
      const next = graph.targets[at] ?? 0;
      const reached = startAfter(links, graph.arcs[at] ?? 0, begin, lengths);
      if (reached > (bounds[next] ?? 0)) {
        bounds[next] = reached;
        drivers[next] = step;
      }
      levels[next] = Math.max(levels[next] ?? 0, (levels[step] ?? 0) + 1);
    }
  }
  return { begins, ends, levels, path: followBack(ends, levels, drivers) };
}

function followBack(ends: Float64Array, levels: Int32Array, drivers: Int32Array): number[] {
  let last = -1;
  for (let step = 0; step < ends.length; step++) {
    const [end, known] = [ends[step] ?? 0, ends[last] ?? Number.NEGATIVE_INFINITY];
    const deeper = (levels[step] ?? 0) > (levels[last] ?? -1);
    if (last === -1 || end > known || (end === known && deeper)) last = step;
  }
  const path: number[] = [];
  for (let step = last; step !== -1 && path.length <= ends.length; step = drivers[step] ?? -1) {
    path.push(step);
  }
  return path.reverse();
}
