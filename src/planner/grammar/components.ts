// Circles in a graph: which moments are on one, what can never begin because of it, and which edges to take out.

type Arrow = { from: number; to: number };

/** Outgoing edges by where they begin: positions in `edges`. */
function indexEdges(size: number, edges: Arrow[]): number[][] {
  const out: number[][] = Array.from({ length: size }, () => []);
  edges.forEach(({ from }, position) => {
    out[from]?.push(position);
  });
  return out;
}

/**
 * For each vertex the number of its circle, from 0; -1 where it is on none. Strongly connected components by Tarjan
 * (1972), with a stack of our own, since outlines may be deep.
 */
export function findCircles(
  size: number,
  edges: Arrow[],
): { circles: number; circleOf: Int32Array } {
  const out = indexEdges(size, edges);
  const circleOf = new Int32Array(size).fill(-1);
  const seen = new Int32Array(size);
  const low = new Int32Array(size);
  const waiting = new Uint8Array(size);
  const next = new Int32Array(size);
  const stack: number[] = [];
  const loops = new Set(edges.filter(({ from, to }) => from === to).map(({ from }) => from));
  let clock = 0;
  let circles = 0;
  const enter = (vertex: number, path: number[]) => {
    clock += 1;
    seen[vertex] = clock;
    low[vertex] = clock;
    waiting[vertex] = 1;
    stack.push(vertex);
    path.push(vertex);
  };
  const leave = (vertex: number) => {
    if (low[vertex] !== seen[vertex]) return;
    const members: number[] = [];
    for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
      waiting[member] = 0;
      members.push(member);
      if (member === vertex) break;
    }
    if (members.length === 1 && !loops.has(vertex)) return;
    for (const member of members) circleOf[member] = circles;
    circles += 1;
  };
  for (let root = 0; root < size; root += 1) {
    if (seen[root] !== 0) continue;
    const path: number[] = [];
    enter(root, path);
    for (let vertex = path.at(-1); vertex !== undefined; vertex = path.at(-1)) {
      const position = out[vertex]?.[next[vertex] ?? 0];
      if (position === undefined) {
        path.pop();
        leave(vertex);
        const above = path.at(-1);
        if (above !== undefined) low[above] = Math.min(low[above] ?? 0, low[vertex] ?? 0);
        continue;
      }
      next[vertex] = (next[vertex] ?? 0) + 1;
      const to = edges[position]?.to ?? vertex;
      if (seen[to] === 0) enter(to, path);
      else if (waiting[to] === 1) low[vertex] = Math.min(low[vertex] ?? 0, seen[to] ?? 0);
    }
  }
  return { circles, circleOf };
}

/** Vertices on no circle that can begin only after one. */
export function findBehind(size: number, edges: Arrow[], circleOf: Int32Array): Uint8Array {
  const out = indexEdges(size, edges);
  const behind = new Uint8Array(size);
  const queue: number[] = [];
  for (let vertex = 0; vertex < size; vertex += 1) if (circleOf[vertex] !== -1) queue.push(vertex);
  for (const vertex of queue) {
    for (const position of out[vertex] ?? []) {
      const to = edges[position]?.to ?? vertex;
      if (behind[to] === 1 || circleOf[to] !== -1) continue;
      behind[to] = 1;
      queue.push(to);
    }
  }
  return behind;
}

/** Passes in which every edge that goes is on a circle; what is left then is peeled, which may take a few too many. */
const passesAtMost = 25;

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
  for (let pass = 0; pass < passesAtMost; pass += 1) {
    const rest = left.map((position) => edges[position] ?? { from: 0, to: 0 });
    const { circles, circleOf } = findCircles(size, rest);
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
