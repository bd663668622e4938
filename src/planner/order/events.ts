// Models nodes as start and finish events, so that a phase precedes another without an edge per part: a part starts after its
// whole and finishes before it. FS, SS, FF and SF are arcs between events (generalised precedence, Elmaghraby and Kamburowski
// 1992).
import type { DependencyType } from '#domain/plan/dependency.ts';
import type { RoadmapEdge } from '#domain/planning/roadmap.ts';
import { buildDigraph, type Digraph, findCycle } from '#graph/digraph.ts';
import { isWithin, type OutlineIndex } from './outline-index.ts';

/** Whether the edge counts from its predecessor's finish, and whether it holds its successor's finish. */
export const edgeEnds: Record<DependencyType, { fromFinish: boolean; toFinish: boolean }> = {
  FS: { fromFinish: true, toFinish: false },
  SS: { fromFinish: false, toFinish: false },
  FF: { fromFinish: true, toFinish: true },
  SF: { fromFinish: false, toFinish: true },
};

type Ends = { from: number; to: number };

/** Numbers of an edge's nodes; null: one is not there, or one is the other or a part of it. */
export function findEnds(index: OutlineIndex, edge: Pick<RoadmapEdge, 'from' | 'to'>): Ends | null {
  const from = index.places.get(edge.from);
  const to = index.places.get(edge.to);
  if (from === undefined || to === undefined) return null;
  return isWithin(index, from, to) || isWithin(index, to, from) ? null : { from, to };
}

/** Start of a node; its finish is `index.nodes.length` further. The arcs of the tree come first, then one an edge. */
export function treePairs({ nodes, parents }: OutlineIndex): number[] {
  const pairs: number[] = [];
  for (let place = 0; place < nodes.length; place++) {
    pairs.push(place, nodes.length + place);
    const parent = parents[place] ?? -1;
    if (parent !== -1) pairs.push(parent, place, nodes.length + place, nodes.length + parent);
  }
  return pairs;
}

export type EventGraph = {
  graph: Digraph;
  /** Arcs from this number on belong to `edges`, in their order. */
  firstEdge: number;
  edges: RoadmapEdge[];
};

/**
 * Every edge holds the start of its successor, whatever its type: so the executor keeps order, and an order without
 * circles here has none there. Edges that cannot be are left out.
 */
export function buildEvents(index: OutlineIndex, edges: RoadmapEdge[]): EventGraph {
  const pairs = treePairs(index);
  const firstEdge = pairs.length / 2;
  const kept: RoadmapEdge[] = [];
  for (const edge of edges) {
    const ends = findEnds(index, edge);
    if (ends === null) continue;
    const finish = edgeEnds[edge.type].fromFinish ? index.nodes.length : 0;
    pairs.push(finish + ends.from, ends.to);
    kept.push(edge);
  }
  return { graph: buildDigraph(2 * index.nodes.length, pairs), firstEdge, edges: kept };
}

/** Edges that lead round in a circle, in order; null: there is none. */
export function findEdgeCycle(index: OutlineIndex, edges: RoadmapEdge[]): RoadmapEdge[] | null {
  const events = buildEvents(index, edges);
  const cycle = findCycle(events.graph);
  if (cycle === null) return null;
  return cycle.flatMap((vertex, at) => {
    const next = cycle[(at + 1) % cycle.length];
    const { offsets, targets, arcs } = events.graph;
    for (let place = offsets[vertex] ?? 0; place < (offsets[vertex + 1] ?? 0); place++) {
      const edge = events.edges[(arcs[place] ?? 0) - events.firstEdge];
      if (targets[place] === next && edge !== undefined) return [edge];
    }
    return [];
  });
}
