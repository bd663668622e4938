// Groups nodes with work into waves by Kahn's algorithm: a wave waits for those before it, and its nodes may run in parallel.
// Only finish-to-start edges separate waves.
import type { OutlineNode, PlanOutline } from '#domain/planning/outline.ts';
import type { RoadmapEdge } from '#domain/planning/roadmap.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { sortTopologically } from '#graph/digraph.ts';
import { makeNode } from '../outline/make-node.ts';
import { findWork, type OutlineIndex } from '../outline/outline-tree.ts';
import { buildEvents } from '../outline/precedence.ts';
import type { Operations } from './durations.ts';

/** Starts by node number, then finishes; -1 on a cycle. @param every counts each edge, not only those that separate waves */
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

/** In the order of the tree inside each wave. Nodes on a cycle are in none. */
export function findWaves(index: OutlineIndex, edges: RoadmapEdge[]): number[][] {
  const levels = findLevels(index, edges, false);
  const waves = Map.groupBy(
    findWork(index).filter((place) => levels[place] !== -1),
    (place) => levels[place] ?? 0,
  );
  return [...waves].sort(([a], [b]) => a - b).map(([, wave]) => wave);
}

/** By waves, after dependencies within a wave, otherwise as in the tree. Edges along it form no cycle. */
export function lineUp(index: OutlineIndex, edges: RoadmapEdge[]): number[] {
  const levels = findLevels(index, edges, true);
  return findWaves(index, edges).flatMap((wave) =>
    wave.sort((a, b) => (levels[a] ?? 0) - (levels[b] ?? 0)),
  );
}

const prefix = 'checkpoint:';

/** Not stated: the roadmap added it. */
export function isAddedCheckpoint({ id, structure }: OutlineNode): boolean {
  return structure === 'checkpoint' && id.startsWith(prefix);
}

/** The outline before an option was chosen; the same object if nothing was added. */
export function withoutAddedCheckpoints(outline: PlanOutline): PlanOutline {
  const gone = new Set(outline.nodes.filter(isAddedCheckpoint).map(({ id }) => id));
  if (gone.size === 0) return outline;
  const nodes = outline.nodes
    .filter(({ id }) => !gone.has(id))
    .map((node) => ({ ...node, after: node.after.filter(({ id }) => !gone.has(id)) }));
  return { ...outline, nodes };
}

/** Alongside `before`, in front of it. */
export function makeCheckpoint(
  number: number,
  before: OutlineNode,
  question: NonNullable<Operations['question']>,
): OutlineNode {
  const id = `${prefix}${number}`;
  const title = before.title.slice(0, 200);
  const { tool, operation } = question.spec;
  const asks = `Look at what has been done so far. Go on with ${quoteWords(title, 200)}?`;
  return makeNode({
    id,
    parent: before.parent,
    title: `Check before ${quoteWords(title, 200)}`,
    structure: 'checkpoint',
    level: before.level,
    steps: [{ id, description: asks, tool, operation, args: { [question.argument]: asks } }],
  });
}

export function insertCheckpoints(
  nodes: OutlineNode[],
  added: { node: OutlineNode; before: string }[],
): OutlineNode[] {
  if (added.length === 0) return nodes;
  const byPlace = Map.groupBy(added, ({ before }) => before);
  return nodes.flatMap((node) => [...(byPlace.get(node.id) ?? []).map((one) => one.node), node]);
}
