// The options for a roadmap: only what is needed, strictly sequential, or with checks before irreversible changes.
import type { OutlineNode, PlanOutline } from '#domain/planning/outline.ts';
import type { RoadmapEdge, RoadmapWay } from '#domain/planning/roadmap.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';
import { indexOutline, type OutlineIndex, seriesOf } from '../outline/outline-tree.ts';
import { planChecks } from './checked-way.ts';
import { type CollectedEdges, mergeEdges } from './collect-edges.ts';
import type { Operations } from './durations.ts';
import { insertCheckpoints, lineUp } from './metrics.ts';
import { reduceEdges } from './reduce-edges.ts';

export type Way = {
  name: RoadmapWay;
  same: RoadmapWay[];
  differs: string;
  index: OutlineIndex;
  edges: RoadmapEdge[];
  nodes: OutlineNode[];
  /** Nodes that exist only for this option. */
  added: OutlineNode[];
};

/** Leaves outside any series whose steps change something, in a possible order. */
function lineUpChanges({ index, edges }: CollectedEdges, operations: Operations): number[] {
  return lineUp(index, edges).filter(
    (place) =>
      (index.children[place]?.length ?? 0) === 0 &&
      seriesOf(index, place) === -1 &&
      (index.ownSteps[place] ?? []).some((step) => {
        const draft = index.steps[step]?.draft;
        return draft !== undefined && operations.changes(draft);
      }),
  );
}

/** An edge that exists only for an option. */
function linkForWay(index: OutlineIndex, from: number, to: number): RoadmapEdge[] {
  const [a, b] = [index.nodes[from], index.nodes[to]];
  if (a === undefined || b === undefined) return [];
  return [{ from: a.id, to: b.id, type: 'FS', lag_minutes: 0, why: 'strategy' }];
}

/** At least one, without equivalent duplicates. `collected` must have no cycle. */
export async function findWays(
  outline: PlanOutline,
  collected: CollectedEdges,
  operations: Operations,
): Promise<Way[]> {
  const { index, edges } = collected;
  const base: Way = {
    name: 'as said',
    same: [],
    differs: 'Only the order that you gave or that is needed; the rest runs in parallel.',
    index,
    edges,
    nodes: outline.nodes,
    added: [],
  };
  const row = lineUpChanges(collected, operations);
  const makeSingle = (): Way => ({
    ...base,
    name: 'one at a time',
    differs: 'Each change waits until the one before it has succeeded.',
    edges: addEdges(
      index,
      edges,
      row.flatMap((place, at) => linkForWay(index, row[at - 1] ?? -1, place)),
    ),
  });
  const makers = [makeSingle, () => makeChecked(base, collected, row, operations)];
  const ways = [base];
  for (const make of makers) {
    if (isSliceOver()) await nextTurn();
    const way = make();
    const same = ways.find((other) => signatureOf(other) === signatureOf(way));
    if (same === undefined) ways.push(way);
    else same.same.push(way.name);
  }
  return ways;
}

function addEdges(index: OutlineIndex, base: RoadmapEdge[], more: RoadmapEdge[]): RoadmapEdge[] {
  return more.length === 0 ? base : reduceEdges(index, mergeEdges([...base, ...more]));
}

function makeChecked(
  base: Way,
  collected: CollectedEdges,
  row: number[],
  operations: Operations,
): Way {
  const checks = planChecks(collected, row, operations);
  const nodes = insertCheckpoints(base.nodes, checks.added);
  const index = checks.added.length === 0 ? base.index : indexOutline({ nodes });
  return {
    ...base,
    name: 'checked',
    differs: checks.differs,
    index,
    edges: addEdges(index, collected.edges, checks.edges),
    nodes,
    added: checks.added.map(({ node }) => node),
  };
}

/** The reduction is unique, so equal options have equal signatures. */
function signatureOf({ edges, added }: Way): string {
  const parts = edges.map(
    ({ from, to, type, lag_minutes }) => `${from}\t${to}\t${type}\t${lag_minutes}`,
  );
  return [...added.map(({ id }) => id), ...parts].sort().join('\n');
}
