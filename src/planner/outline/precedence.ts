// Precedence as a graph of node start and finish events, and its waves (Kahn's algorithm).
// FS, SS, FF and SF are arcs (generalised precedence, Elmaghraby and Kamburowski 1992).
import { type DependencyType, toDependency } from '#domain/plan/dependency.ts';
import { edgeEnds } from '#domain/plan/edge-ends.ts';
import { type StepDraft, sourcesOf } from '#domain/plan/step-content.ts';
import type { RoadmapEdge } from '#domain/planning/roadmap.ts';
import { buildDigraph, type Digraph, findCycle, sortTopologically } from '#graph/digraph.ts';
import { findWork, isWithin, type OutlineIndex, type Tree } from './outline-tree.ts';

type Ends = { from: number; to: number };

/** Null if one is missing or contains the other. */
export function findEnds(tree: Tree, edge: Pick<RoadmapEdge, 'from' | 'to'>): Ends | null {
  const from = tree.places.get(edge.from);
  const to = tree.places.get(edge.to);
  if (from === undefined || to === undefined) return null;
  return isWithin(tree, from, to) || isWithin(tree, to, from) ? null : { from, to };
}

export function eventsOf({ nodes }: Tree, { from, to }: Ends, type: DependencyType): Ends {
  const { fromFinish, toFinish } = edgeEnds[type];
  return {
    from: (fromFinish ? nodes.length : 0) + from,
    to: (toFinish ? nodes.length : 0) + to,
  };
}

/** A start is the node's number; its finish is `nodes.length` further. */
export function treePairs({ nodes, parents }: Tree): number[] {
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
  /** First arc of `edges`; earlier ones belong to the tree. */
  firstEdge: number;
  edges: RoadmapEdge[];
};

/** Every edge holds a start, so acyclic here means acyclic in the executor. Skips impossible edges. */
export function buildEvents(tree: Tree, edges: RoadmapEdge[]): EventGraph {
  const pairs = treePairs(tree);
  const firstEdge = pairs.length / 2;
  const kept: RoadmapEdge[] = [];
  for (const edge of edges) {
    const ends = findEnds(tree, edge);
    if (ends === null) continue;
    pairs.push(eventsOf(tree, ends, edge.type).from, ends.to);
    kept.push(edge);
  }
  return { graph: buildDigraph(2 * tree.nodes.length, pairs), firstEdge, edges: kept };
}

export function findEdgeCycle(tree: Tree, edges: RoadmapEdge[]): RoadmapEdge[] | null {
  const events = buildEvents(tree, edges);
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

/** A stated, removable wait between nodes, or (with `step`) steps. */
export type Wait = { node: string; step: string | null; on: string; type: DependencyType };

export type Graph = {
  /** Events of nodes, then one per step of nodes with several. */
  size: number;
  /** No `wait` if implied by the tree or data flow. */
  edges: (Ends & { wait: Wait | null })[];
  owners: number[];
  /** Dependencies on missing nodes. */
  unknown: { node: number; wait: Wait }[];
  dangling: { node: number; step: string; from: string }[];
};

/** Valid or not. */
export function readGraph(tree: Tree): Graph {
  const { nodes, places, children } = tree;
  const owners = [...nodes.keys()];
  const graph: Graph = { size: 0, edges: [], owners, unknown: [], dangling: [] };
  const momentOf = new Int32Array(2 * nodes.length);
  for (const [place, { steps }] of nodes.entries()) {
    momentOf[place] = place;
    // A leaf of one step is one event.
    const single = children[place]?.length === 0 && steps.length <= 1;
    momentOf[nodes.length + place] = single ? place : owners.push(place) - 1;
  }
  const link = (from: number, to: number, wait: Wait | null = null) =>
    graph.edges.push({ from, to, wait });

  const pairs = treePairs(tree);
  for (let at = 0; at < pairs.length; at += 2) {
    const from = momentOf[pairs[at] ?? 0] ?? 0;
    const to = momentOf[pairs[at + 1] ?? 0] ?? 0;
    if (from !== to) link(from, to);
  }
  const stepMoments = new Map<string, number>();
  for (const [place, { steps }] of nodes.entries()) {
    const finish = momentOf[nodes.length + place] ?? place;
    for (const { id } of steps) {
      const moment = finish === place ? place : owners.push(place) - 1;
      if (id !== undefined && !stepMoments.has(id)) stepMoments.set(id, moment);
      if (moment === place) continue;
      link(place, moment);
      link(moment, finish);
    }
  }

  const addStep = (node: number, nodeId: string, step: StepDraft) => {
    const at = step.id === undefined ? undefined : stepMoments.get(step.id);
    if (at === undefined || step.id === undefined) return;
    for (const entry of step.after ?? []) {
      const { id: on, type } = toDependency(entry);
      const wait = { node: nodeId, step: step.id, on, type };
      const from = stepMoments.get(on);
      if (from === undefined) graph.unknown.push({ node, wait });
      else link(from, at, wait);
    }
    for (const id of sourcesOf(step)) {
      const from = stepMoments.get(id);
      if (from === undefined) graph.dangling.push({ node, step: step.id, from: id });
      else link(from, at);
    }
  };
  for (const [index, node] of nodes.entries()) {
    // Duplicate IDs are separate nodes whose edges count.
    for (const { id: on, type } of node.after) {
      const wait = { node: node.id, step: null, on, type };
      const place = places.get(on);
      if (place === undefined) graph.unknown.push({ node: index, wait });
      else {
        const { from, to } = eventsOf(tree, { from: place, to: index }, type);
        link(momentOf[from] ?? 0, momentOf[to] ?? 0, wait);
      }
    }
    for (const step of node.steps) addStep(index, node.id, step);
  }
  return { ...graph, size: owners.length };
}

/** Starts by node number, then finishes; -1 on a cycle. @param every also edges that separate no waves */
function findLevels(index: OutlineIndex, edges: RoadmapEdge[], every: boolean): Int32Array {
  const events = buildEvents(index, edges);
  const { graph, firstEdge } = events;
  const order = sortTopologically(graph);
  const levels = new Int32Array(graph.size).fill(-1);
  for (const v of order) levels[v] = 0;
  for (const v of order) {
    for (let at = graph.offsets[v] ?? 0; at < (graph.offsets[v + 1] ?? 0); at++) {
      const to = graph.targets[at] ?? 0;
      if (levels[to] === -1) continue;
      const type = events.edges[(graph.arcs[at] ?? 0) - firstEdge]?.type;
      const parts = type === 'FS' || (every && type !== undefined) ? 1 : 0;
      levels[to] = Math.max(levels[to] ?? 0, (levels[v] ?? 0) + parts);
    }
  }
  return levels;
}

/** Tree order within waves; nodes on a cycle are in none. */
export function findWaves(index: OutlineIndex, edges: RoadmapEdge[]): number[][] {
  const levels = findLevels(index, edges, false);
  const waves = Map.groupBy(
    findWork(index).filter((place) => levels[place] !== -1),
    (place) => levels[place] ?? 0,
  );
  return [...waves].sort(([a], [b]) => a - b).map(([, wave]) => wave);
}

/** By wave, dependencies, then tree; edges along it are acyclic. */
export function lineUp(index: OutlineIndex, edges: RoadmapEdge[]): number[] {
  const levels = findLevels(index, edges, true);
  return findWaves(index, edges).flatMap((wave) =>
    wave.sort((a, b) => (levels[a] ?? 0) - (levels[b] ?? 0)),
  );
}
