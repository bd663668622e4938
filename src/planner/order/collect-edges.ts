// Collects an outline's precedence edges: stated ones, data flow between steps, and what the pattern implies. One edge remains
// per pair and type, with the longest lag.
import { dependenciesOf, sourcesOf } from '#domain/plan/step-content.ts';
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { RoadmapEdge } from '#domain/planning/roadmap.ts';
import { findComponents } from '#graph/digraph.ts';
import { buildEvents, findEdgeCycle, findEnds } from '../outline/precedence.ts';
import { indexOutline, type OutlineIndex } from './outline-index.ts';
import { findPatternOrder } from './pattern-order.ts';
import { reduceEdges } from './reduce-edges.ts';

const strength: Record<RoadmapEdge['why'], number> = {
  stated: 0,
  data: 1,
  pattern: 2,
  strategy: 3,
};

function keyOf({ from, to, type }: RoadmapEdge): string {
  return `${from}\n${to}\n${type}`;
}

/** Of edges with the same ends and type one, with the longest lag and the strongest reason; in order of appearance. */
export function mergeEdges(edges: RoadmapEdge[]): RoadmapEdge[] {
  const merged = new Map<string, RoadmapEdge>();
  for (const edge of edges) {
    const key = keyOf(edge);
    const other = merged.get(key);
    if (other === undefined) merged.set(key, edge);
    else
      merged.set(key, {
        ...edge,
        lag_minutes: Math.max(edge.lag_minutes, other.lag_minutes),
        why: strength[edge.why] < strength[other.why] ? edge.why : other.why,
      });
  }
  return [...merged.values()];
}

/** What was said, and what steps take from each other, as edges between nodes. */
function findNeeded({ nodes, stepPlaces, steps, order, ownSteps }: OutlineIndex): RoadmapEdge[] {
  const edges: RoadmapEdge[] = [];
  for (const place of order) {
    const node = nodes[place];
    if (node === undefined) continue;
    for (const { id, type, lag_minutes } of node.after)
      edges.push({ from: id, to: node.id, type, lag_minutes, why: 'stated' });
    for (const step of ownSteps[place] ?? []) {
      const draft = steps[step]?.draft;
      if (draft === undefined) continue;
      const ownerOf = (id: string) => {
        const owner = nodes[steps[stepPlaces.get(id) ?? -1]?.node ?? -1]?.id;
        return owner === node.id ? undefined : owner;
      };
      for (const { id, type, lag_minutes } of dependenciesOf(draft)) {
        const from = ownerOf(id);
        if (from !== undefined) edges.push({ from, to: node.id, type, lag_minutes, why: 'stated' });
      }
      for (const id of sourcesOf(draft)) {
        const from = ownerOf(id);
        if (from !== undefined)
          edges.push({ from, to: node.id, type: 'FS', lag_minutes: 0, why: 'data' });
      }
    }
  }
  return edges;
}

/** The edges that lie on no circle. What was said wins over what a pattern implies. */
function dropCircular(index: OutlineIndex, needed: RoadmapEdge[], implied: RoadmapEdge[]) {
  const { graph, edges, firstEdge } = buildEvents(index, [...needed, ...implied]);
  const component = findComponents(graph);
  const circular = new Set<RoadmapEdge>();
  for (let from = 0; from < graph.size; from++) {
    for (let at = graph.offsets[from] ?? 0; at < (graph.offsets[from + 1] ?? 0); at++) {
      const edge = edges[(graph.arcs[at] ?? 0) - firstEdge];
      if (edge !== undefined && component[from] === component[graph.targets[at] ?? 0])
        circular.add(edge);
    }
  }
  return {
    kept: implied.filter((edge) => !circular.has(edge)),
    contradicted: implied.filter((edge) => circular.has(edge)),
  };
}

export type CollectedEdges = {
  index: OutlineIndex;
  /** Edges between nodes that can be; those that were said first, in the order of the outline. */
  edges: RoadmapEdge[];
  /** Edges to a node that is not there, to the node itself, or to its own part or whole. */
  impossible: RoadmapEdge[];
  /** What the pattern implies and something that was said contradicts. */
  contradicted: RoadmapEdge[];
  /** What was said, or taken from each other, goes round in a circle. */
  cycle: RoadmapEdge[] | null;
};

/** Linear in nodes, steps and edges, but for the removal of derived edges that add nothing. */
export function collectEdges(outline: Pick<PlanOutline, 'nodes' | 'pattern'>): CollectedEdges {
  const index = indexOutline(outline);
  const found = mergeEdges(findNeeded(index));
  const isPossible = (edge: RoadmapEdge) => findEnds(index, edge) !== null;
  const needed = found.filter(isPossible);
  // Steps of a whole and of its parts may follow each other; that is between the steps.
  const impossible = found.filter((edge) => !isPossible(edge) && isSaidOfNodes(index, edge));
  const stated = needed.filter(({ why }) => why === 'stated');
  const implied = findPatternOrder(index, outline.pattern, stated);
  const { kept, contradicted } = dropCircular(index, needed, implied);
  const cycle = findEdgeCycle(index, needed);
  const all = mergeEdges([...needed, ...kept]);
  return {
    index,
    edges: cycle === null ? reduceEdges(index, all) : all,
    impossible,
    contradicted,
    cycle,
  };
}

/** The edge stands with its node, and does not only follow from its steps. */
export function isSaidOfNodes(index: OutlineIndex, edge: RoadmapEdge): boolean {
  const node = index.nodes[index.places.get(edge.to) ?? -1];
  return node?.after.some(({ id, type }) => id === edge.from && type === edge.type) === true;
}
