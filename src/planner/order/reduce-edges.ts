// Transitive reduction: drops derived edges that follow from others. Stated edges stay, since people would miss them.
import type { RoadmapEdge } from '#domain/planning/roadmap.ts';
import { buildDigraph, type Digraph, sortTopologically, successorsOf } from '#graph/digraph.ts';
import { eventsOf, findEnds, treePairs } from '../outline/precedence.ts';
import type { OutlineIndex } from './outline-index.ts';

const derived: RoadmapEdge['why'][] = ['data', 'pattern', 'strategy'];
/** Sources whose reach is followed at once; a round needs two sets of as many bits for each event. */
const atOnce = 1024;

/**
 * `edges` without the derived ones that the rest imply. Of an order without circles; derived edges have no lag, so what
 * remains does not depend on the order of removal.
 */
export function reduceEdges(index: OutlineIndex, edges: RoadmapEdge[]): RoadmapEdge[] {
  const candidates = edges.filter(({ why }) => derived.includes(why));
  if (candidates.length === 0) return edges;
  const implied = findImplied(index, edges, candidates, 'by others');
  return implied.size === 0 ? edges : edges.filter((edge) => !implied.has(edge));
}

/**
 * Those of `candidates`, taken without their lags, that follow from `edges`. `by others`: over at least one event in
 * between, so that an edge among both does not count for itself.
 */
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

/** Arcs over which time only goes on: a lead may go back, so nothing follows from it. */
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

/** Which sources reach which events: `near` over one arc, `far` over two and more. */
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
