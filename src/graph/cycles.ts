// Cycles in a graph: which vertices are on one, and which edges to remove to break them all.
import { buildDigraph, type Digraph, findComponents, successorsOf } from './digraph.ts';

type Arrow = { from: number; to: number };

export function digraphOf(size: number, edges: Arrow[]): Digraph {
  const pairs: number[] = [];
  for (const { from, to } of edges) pairs.push(from, to);
  return buildDigraph(size, pairs);
}

/**
 * For each vertex the number of its circle, from 0; -1 where it is on none. A circle is a strongly connected component
 * of several vertices, or of one that leads to itself.
 */
export function findCircles(graph: Digraph): { circles: number; circleOf: Int32Array } {
  const component = findComponents(graph);
  const onCircle = new Set<number>();
  for (let from = 0; from < graph.size; from++) {
    for (const to of successorsOf(graph, from))
      if (component[to] === component[from]) onCircle.add(component[from] ?? 0);
  }
  const numbers = new Map([...onCircle].sort((a, b) => a - b).map((one, at) => [one, at]));
  return { circles: numbers.size, circleOf: component.map((one) => numbers.get(one) ?? -1) };
}

/** Passes in which every edge that goes is on a circle; what is left then is peeled, which may take a few too many. */
const maxPasses = 25;

/**
 * Edges that, taken out, leave no circle: positions in `edges`, only such as may be taken out. In each circle the
 * earliest vertex that nothing firm holds there is freed. A circle of edges that must stay is left as it is.
 */
export function breakCircles(
  size: number,
  edges: Arrow[],
  mayGo: (position: number) => boolean,
): number[] {
  const breaks: number[] = [];
  let left = edges.map((_, position) => position);
  for (let pass = 0; pass < maxPasses; pass += 1) {
    const rest = left.map((position) => edges[position] ?? { from: 0, to: 0 });
    const { circles, circleOf } = findCircles(digraphOf(size, rest));
    if (circles === 0) return breaks;
    const chosen = freeOne(size, edges, left, circles, circleOf, mayGo);
    if (chosen.size === 0) return breaks;
    breaks.push(...chosen);
    left = left.filter((position) => !chosen.has(position));
  }
  return [...breaks, ...peel(size, edges, left, mayGo)];
}

/** Of each circle, the edges into its earliest vertex that no firm edge of the circle leads to. */
function freeOne(
  size: number,
  edges: Arrow[],
  left: number[],
  circles: number,
  circleOf: Int32Array,
  mayGo: (position: number) => boolean,
): Set<number> {
  const inside = left.filter((position) => {
    const { from, to } = edges[position] ?? { from: 0, to: 0 };
    return circleOf[from] !== -1 && circleOf[from] === circleOf[to];
  });
  const firm = new Uint8Array(size);
  for (const position of inside) if (!mayGo(position)) firm[edges[position]?.to ?? 0] = 1;
  const first = new Int32Array(circles).fill(-1);
  for (let vertex = size - 1; vertex >= 0; vertex -= 1) {
    const circle = circleOf[vertex] ?? -1;
    if (circle !== -1 && firm[vertex] === 0) first[circle] = vertex;
  }
  return new Set(
    inside.filter((position) => {
      const to = edges[position]?.to ?? 0;
      return first[circleOf[to] ?? 0] === to;
    }),
  );
}

/** Peels what is free (Kahn 1962); where nothing is, frees the earliest vertex that only waits for what may go. */
function peel(
  size: number,
  edges: Arrow[],
  left: number[],
  mayGo: (position: number) => boolean,
): number[] {
  const out: number[][] = Array.from({ length: size }, () => []);
  const into: number[][] = Array.from({ length: size }, () => []);
  const unmet = new Int32Array(size);
  const firm = new Int32Array(size);
  for (const position of left) {
    const { from, to } = edges[position] ?? { from: 0, to: 0 };
    out[from]?.push(position);
    into[to]?.push(position);
    unmet[to] = (unmet[to] ?? 0) + 1;
    if (!mayGo(position)) firm[to] = (firm[to] ?? 0) + 1;
  }
  const done = new Uint8Array(size);
  const free: number[] = [];
  const candidates: number[] = [];
  for (let vertex = 0; vertex < size; vertex += 1) {
    if (unmet[vertex] === 0) free.push(vertex);
    else if (firm[vertex] === 0) candidates.push(vertex);
  }
  const breaks: number[] = [];
  const take = (vertex: number) => {
    if (done[vertex] === 1) return;
    for (const position of into[vertex] ?? []) {
      if (done[edges[position]?.from ?? 0] === 0) breaks.push(position);
    }
    done[vertex] = 1;
    for (const position of out[vertex] ?? []) {
      const to = edges[position]?.to ?? 0;
      unmet[to] = (unmet[to] ?? 0) - 1;
      if (unmet[to] === 0) free.push(to);
      if (mayGo(position)) continue;
      firm[to] = (firm[to] ?? 0) - 1;
      if (firm[to] === 0) candidates.push(to);
    }
  };
  let next = 0;
  const takeFree = () => {
    for (; next < free.length; next += 1) take(free[next] ?? 0);
  };
  takeFree();
  for (const candidate of candidates) {
    take(candidate);
    takeFree();
  }
  return breaks;
}
