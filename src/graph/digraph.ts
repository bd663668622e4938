// Directed graphs over 0…size-1 in flat arrays. Linear and iterative.
// Long chains don't overflow the stack.

/** Successors of `v` are `targets[offsets[v]]` up to, excluding, `targets[offsets[v + 1]]`. */
export type Digraph = { size: number; offsets: Int32Array; targets: Int32Array; arcs: Int32Array };

/** `pairs` holds from and to of each arc in turn; `arcs` maps targets to arc numbers. */
export function buildDigraph(size: number, pairs: number[]): Digraph {
  const offsets = new Int32Array(size + 1);
  for (let at = 0; at < pairs.length; at += 2) {
    const next = (pairs[at] ?? 0) + 1;
    offsets[next] = (offsets[next] ?? 0) + 1;
  }
  for (let v = 0; v < size; v++) offsets[v + 1] = (offsets[v + 1] ?? 0) + (offsets[v] ?? 0);
  const filled = offsets.slice();
  const targets = new Int32Array(pairs.length / 2);
  const arcs = new Int32Array(pairs.length / 2);
  for (let at = 0; at < pairs.length; at += 2) {
    const from = pairs[at] ?? 0;
    const place = filled[from] ?? 0;
    filled[from] = place + 1;
    targets[place] = pairs[at + 1] ?? 0;
    arcs[place] = at / 2;
  }
  return { size, offsets, targets, arcs };
}

export function successorsOf({ offsets, targets }: Digraph, v: number): Int32Array {
  return targets.subarray(offsets[v] ?? 0, offsets[v + 1] ?? 0);
}

/** Kahn's algorithm (1962). Omits vertices that wait for a cycle. */
export function sortTopologically(graph: Digraph): Int32Array {
  const unmet = new Int32Array(graph.size);
  for (const to of graph.targets) unmet[to] = (unmet[to] ?? 0) + 1;
  const order = new Int32Array(graph.size);
  let length = 0;
  for (let v = 0; v < graph.size; v++) if (unmet[v] === 0) order[length++] = v;
  for (let at = 0; at < length; at++) {
    for (const to of successorsOf(graph, order[at] ?? 0)) {
      const left = (unmet[to] ?? 0) - 1;
      unmet[to] = left;
      if (left === 0) order[length++] = to;
    }
  }
  return order.subarray(0, length);
}

/** Strongly connected component per vertex. Tarjan (1972). */
export function findComponents(graph: Digraph): Int32Array {
  const { size, offsets, targets } = graph;
  const component = new Int32Array(size).fill(-1);
  const index = new Int32Array(size).fill(-1);
  const low = new Int32Array(size);
  const cursor = offsets.slice(0, size);
  const open: number[] = [];
  let seen = 0;
  let components = 0;
  for (let root = 0; root < size; root++) {
    if (index[root] !== -1) continue;
    const path = [root];
    for (let v = path.at(-1); v !== undefined; v = path.at(-1)) {
      if (index[v] === -1) {
        index[v] = seen;
        low[v] = seen++;
        open.push(v);
      }
      const at = cursor[v] ?? 0;
      if (at < (offsets[v + 1] ?? 0)) {
        cursor[v] = at + 1;
        const to = targets[at] ?? 0;
        if (index[to] === -1) path.push(to);
        else if (component[to] === -1) low[v] = Math.min(low[v] ?? 0, index[to] ?? 0);
        continue;
      }
      path.pop();
      const above = path.at(-1);
      if (above !== undefined) low[above] = Math.min(low[above] ?? 0, low[v] ?? 0);
      if (low[v] !== index[v]) continue;
      for (let member = open.pop(); member !== undefined; member = open.pop()) {
        component[member] = components;
        if (member === v) break;
      }
      components++;
    }
  }
  return component;
}

/** In order, the shortest through one of its vertices. */
export function findCycle(graph: Digraph): number[] | null {
  const sorted = sortTopologically(graph);
  if (sorted.length === graph.size) return null;
  const component = findComponents(graph);
  for (let v = 0; v < graph.size; v++) {
    const cycle = shortestWayBack(graph, component, v);
    if (cycle !== null) return cycle;
  }
  return null;
}

function shortestWayBack(graph: Digraph, component: Int32Array, start: number): number[] | null {
  const before = new Map<number, number>();
  const queue = [start];
  for (let at = 0; at < queue.length; at++) {
    const v = queue[at] ?? start;
    for (const to of successorsOf(graph, v)) {
      if (to === start) {
        const way = [v];
        for (let w = v; w !== start; ) {
          w = before.get(w) ?? start;
          way.push(w);
        }
        return way.reverse();
      }
      if (component[to] !== component[start] || before.has(to)) continue;
      before.set(to, v);
      queue.push(to);
    }
  }
  return null;
}

type Arrow = { from: number; to: number };

export function digraphOf(size: number, edges: Arrow[]): Digraph {
  const pairs: number[] = [];
  for (const { from, to } of edges) pairs.push(from, to);
  return buildDigraph(size, pairs);
}

/** Per vertex, or -1. A cycle is a component of several vertices or with a self-loop. */
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

/** Only removes edges on cycles; the rest is peeled, which may remove a few too many. */
const maxPasses = 25;

/** Positions of removable edges. Frees each cycle's earliest vertex without fixed edges; cycles of fixed edges remain. */
export function breakCircles(
  size: number,
  edges: Arrow[],
  mayGo: (position: number) => boolean,
): number[] {
  const breaks: number[] = [];
  let left = edges.map((_, position) => position);
  for (let pass = 0; pass < maxPasses; pass += 1) {
    const pairs: number[] = [];
    for (const position of left) pairs.push(edges[position]?.from ?? 0, edges[position]?.to ?? 0);
    const { circles, circleOf } = findCircles(buildDigraph(size, pairs));
    if (circles === 0) return breaks;
    const chosen = freeOne(size, edges, left, circles, circleOf, mayGo);
    if (chosen.size === 0) return breaks;
    breaks.push(...chosen);
    left = left.filter((position) => !chosen.has(position));
  }
  return [...breaks, ...peel(size, edges, left, mayGo)];
}

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

/** Kahn's algorithm (1962); when stuck, frees the earliest vertex that only waits for removable edges. */
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
