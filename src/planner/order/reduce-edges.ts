// Transitive reduction of derived edges; bridges nodes without steps.
import type { DependencyType } from '#domain/plan/dependency.ts';
import { edgeEnds, joinTypes } from '#domain/plan/edge-ends.ts';
import type { RoadmapEdge } from '#domain/planning/roadmap.ts';
import { buildDigraph, type Digraph, sortTopologically, successorsOf } from '#graph/digraph.ts';
import { isWithin, type OutlineIndex } from '../outline/outline-tree.ts';
import { buildEvents, eventsOf, findEnds, treePairs } from '../outline/precedence.ts';

const derived: RoadmapEdge['why'][] = ['data', 'pattern', 'strategy'];
/** Sources per round, each two bits per event. */
const atOnce = 1024;

/** The order must be acyclic. Derived edges have no lag, so the result is unique. */
export function reduceEdges(index: OutlineIndex, edges: RoadmapEdge[]): RoadmapEdge[] {
  const candidates = edges.filter(({ why }) => derived.includes(why));
  if (candidates.length === 0) return edges;
  const implied = findImplied(index, edges, candidates, 'by others');
  return implied.size === 0 ? edges : edges.filter((edge) => !implied.has(edge));
}

/** Candidates, without lag, that follow from `edges` over an event in between. */
export function findImplied(
  index: OutlineIndex,
  edges: RoadmapEdge[],
  candidates: RoadmapEdge[],
  how: 'at all' | 'by others',
): Set<RoadmapEdge> {
  const graph = buildDigraph(2 * index.nodes.length, forwardPairs(index, edges));
  const order = sortTopologically(graph);
  const wanted = candidates.flatMap((edge) => {
    const ends = findEnds(index, edge);
    return ends === null ? [] : [{ edge, ...eventsOf(index, ends, edge.type) }];
  });
  const sources = [...new Set(wanted.map(({ from }) => from))];
  const implied = new Set<RoadmapEdge>();
  for (let first = 0; first < sources.length; first += atOnce) {
    const bits = new Map(sources.slice(first, first + atOnce).map((from, bit) => [from, bit]));
    const { near, far } = followAll(graph, order, bits);
    for (const { edge, from, to } of wanted) {
      const bit = bits.get(from);
      if (bit === undefined) continue;
      if (far(bit, to) || (how === 'at all' && near(bit, to))) implied.add(edge);
    }
  }
  return implied;
}

/** Arcs along which time only increases; leads imply nothing. */
function forwardPairs(index: OutlineIndex, edges: RoadmapEdge[]): number[] {
  const pairs = treePairs(index);
  for (const edge of edges) {
    const ends = edge.lag_minutes < 0 ? null : findEnds(index, edge);
    if (ends === null) continue;
    const { from, to } = eventsOf(index, ends, edge.type);
    pairs.push(from, to);
  }
  return pairs;
}

type Reaches = (bit: number, to: number) => boolean;

/** `near` over one arc, `far` over more. */
function followAll(
  graph: Digraph,
  order: Int32Array,
  bits: Map<number, number>,
): { near: Reaches; far: Reaches } {
  const words = Math.ceil(bits.size / 32);
  const near = new Uint32Array(graph.size * words);
  const far = new Uint32Array(graph.size * words);
  const isSet =
    (set: Uint32Array): Reaches =>
    (bit, to) =>
      ((set[to * words + (bit >> 5)] ?? 0) & (1 << (bit & 31))) !== 0;
  for (const [from, bit] of bits) {
    for (const to of successorsOf(graph, from)) {
      const word = to * words + (bit >> 5);
      near[word] = (near[word] ?? 0) | (1 << (bit & 31));
    }
  }
  for (const v of order) {
    for (const to of successorsOf(graph, v)) {
      for (let word = 0; word < words; word++) {
        const passed = (near[v * words + word] ?? 0) | (far[v * words + word] ?? 0);
        if (passed !== 0) far[to * words + word] = (far[to * words + word] ?? 0) | passed;
      }
    }
  }
  return { near: isSet(near), far: isSet(far) };
}

export type NodeEdge = { from: number; to: number; type: DependencyType; lag_minutes: number };

function findFilled({ order, ownSteps, parents }: OutlineIndex): Uint8Array {
  const filled = new Uint8Array(ownSteps.length);
  for (const place of order.toReversed()) {
    if ((ownSteps[place]?.length ?? 0) > 0) filled[place] = 1;
    const parent = parents[place] ?? -1;
    if (filled[place] === 1 && parent !== -1) filled[parent] = 1;
  }
  return filled;
}

/** Edges between nodes with steps come first, as given. */
export function passThroughEmpty(index: OutlineIndex, edges: RoadmapEdge[]): NodeEdge[] {
  const filled = findFilled(index);
  const all = edges.flatMap((edge): NodeEdge[] => {
    const ends = findEnds(index, edge);
    return ends === null ? [] : [{ ...ends, type: edge.type, lag_minutes: edge.lag_minutes }];
  });
  const isFull = ({ from, to }: NodeEdge) => filled[from] === 1 && filled[to] === 1;
  if (all.every(isFull)) return strictest(all);
  const incoming: NodeEdge[][] = index.nodes.map(() => []);
  const outgoing: NodeEdge[][] = index.nodes.map(() => []);
  for (const edge of all) {
    if (filled[edge.from] === 1) incoming[edge.to]?.push(edge);
    outgoing[edge.from]?.push(edge);
  }
  const size = index.nodes.length;
  for (const vertex of sortTopologically(buildEvents(index, edges).graph)) {
    if (vertex >= size || filled[vertex] === 1) continue;
    const before = gather(index, vertex, incoming);
    const behind = spread(index, vertex, outgoing);
    for (const out of behind) {
      const passed = before.flatMap((edge) => {
        const joined = join(index, filled, edge, vertex, out);
        return joined === null ? [] : [joined];
      });
      incoming[out.to]?.push(...strictest(passed));
    }
  }
  return strictest(incoming.flatMap((list, to) => (filled[to] === 1 ? list : [])));
}

/** Own edges, and those that hold its parents' start. */
function gather({ parents }: OutlineIndex, place: number, incoming: NodeEdge[][]): NodeEdge[] {
  const found = [...(incoming[place] ?? [])];
  for (let at = parents[place] ?? -1; at !== -1; at = parents[at] ?? -1)
    found.push(...(incoming[at] ?? []).filter(({ type }) => !edgeEnds[type].toFinish));
  return found;
}

/** Own edges, and those that wait for its parents' finish. */
function spread({ parents }: OutlineIndex, place: number, outgoing: NodeEdge[][]): NodeEdge[] {
  const found = [...(outgoing[place] ?? [])];
  for (let at = parents[place] ?? -1; at !== -1; at = parents[at] ?? -1) {
    for (const edge of outgoing[at] ?? []) if (edgeEnds[edge.type].fromFinish) found.push(edge);
  }
  return found;
}

/** Null if unrelated or implied by the parents. */
function join(
  index: OutlineIndex,
  filled: Uint8Array,
  before: NodeEdge,
  place: number,
  behind: NodeEdge,
): NodeEdge | null {
  if (before.from === behind.to) return null;
  const { fromFinish } = edgeEnds[behind.type];
  // Holding only an empty node's finish does not affect its start.
  if (edgeEnds[before.type].toFinish && !fromFinish) return null;
  const minutes = index.nodes[place]?.duration_minutes ?? 0;
  const passes = edgeEnds[before.type].toFinish || !fromFinish ? 0 : minutes;
  const lag_minutes = before.lag_minutes + behind.lag_minutes + Math.round(passes);
  const waited = lag_minutes - before.lag_minutes - behind.lag_minutes;
  if (behind.from !== place && waited === 0) {
    // A container's predecessors hold its steps as well.
    if (isWithin(index, before.from, behind.from)) return null;
    const deeper = isWithin(index, before.to, behind.from) ? before.to : behind.from;
    if (before.to !== place && filled[deeper] === 1) return null;
  }
  if (isWithin(index, before.from, behind.to) || isWithin(index, behind.to, before.from))
    return null;
  const type = joinTypes(before.type, behind.type);
  return { from: before.from, to: behind.to, type, lag_minutes };
}

function strictest(edges: NodeEdge[]): NodeEdge[] {
  const found = new Map<string, NodeEdge>();
  for (const edge of edges) {
    const key = `${edge.from} ${edge.to} ${edge.type}`;
    const other = found.get(key);
    if (other === undefined) found.set(key, edge);
    else if (other.lag_minutes < edge.lag_minutes) found.set(key, edge);
  }
  return [...found.values()];
}
