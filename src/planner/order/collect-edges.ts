// Collects precedence edges: stated, from data flow, and from the pattern.
import { dependenciesOf, sourcesOf } from '#domain/plan/step-content.ts';
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { Roadmap, RoadmapEdge } from '#domain/planning/roadmap.ts';
import type { Violation } from '#domain/planning/trace.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { findComponents } from '#graph/digraph.ts';
import { violate } from '../outline/names.ts';
import { indexOutline, type OutlineIndex, seriesOf } from '../outline/outline-tree.ts';
import { buildEvents, findEdgeCycle, findEnds } from '../outline/precedence.ts';
import { describeCycle, titleOf } from './name-nodes.ts';
import { findPatternOrder } from './pattern-order.ts';
import { findImplied, reduceEdges } from './reduce-edges.ts';

const strength: Record<RoadmapEdge['why'], number> = {
  stated: 0,
  data: 1,
  pattern: 2,
  strategy: 3,
};

function keyOf({ from, to, type }: RoadmapEdge): string {
  return `${from}\n${to}\n${type}`;
}

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

/** Stated edges beat a pattern's. */
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
  edges: RoadmapEdge[];
  /** To a missing node, itself, or its own part or whole. */
  impossible: RoadmapEdge[];
  /** Pattern edges that contradict stated ones. */
  contradicted: RoadmapEdge[];
  /** A cycle of stated edges or data flow. */
  cycle: RoadmapEdge[] | null;
};

/** Linear except for the reduction of derived edges. */
export function collectEdges(outline: Pick<PlanOutline, 'nodes' | 'pattern'>): CollectedEdges {
  const index = indexOutline(outline);
  const found = mergeEdges(findNeeded(index));
  const isPossible = (edge: RoadmapEdge) => findEnds(index, edge) !== null;
  const needed = found.filter(isPossible);
  // Steps of a whole and its parts may depend on each other.
  const impossible = found.filter((edge) => !isPossible(edge) && isBetweenNodes(index, edge));
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

/** False if it is only between steps. */
export function isBetweenNodes(index: OutlineIndex, edge: RoadmapEdge): boolean {
  const node = index.nodes[index.places.get(edge.to) ?? -1];
  return node?.after.some(({ id, type }) => id === edge.from && type === edge.type) === true;
}

const maxShown = 10;

export function validateRoadmap(outline: PlanOutline, { edges }: Roadmap): Violation[] {
  const collected = collectEdges(outline);
  const { index } = collected;
  const cycle = findEdgeCycle(index, edges);
  const found = [
    ...checkSeries(index, edges),
    ...checkPhases(collected),
    ...(cycle === null
      ? checkStated(collected, edges)
      : [violate('cycle', cycle[0]?.to ?? null, describeCycle(index, cycle))]),
  ];
  const kinds = Map.groupBy(found, ({ code }) => code);
  return [...kinds.values()].flatMap((kind) => kind.slice(0, maxShown));
}

function checkStated({ index, edges: needed }: CollectedEdges, edges: RoadmapEdge[]): Violation[] {
  const kept = new Map(
    edges.map(({ from, to, type, lag_minutes }) => [`${from}\n${to}\n${type}`, lag_minutes]),
  );
  const open = needed.filter(({ from, to, type, lag_minutes, why }) => {
    const lag = kept.get(`${from}\n${to}\n${type}`);
    return why !== 'pattern' && (lag === undefined || lag < lag_minutes);
  });
  const followed = findImplied(index, edges, open, 'at all');
  return open.flatMap((edge) => {
    if (edge.lag_minutes <= 0 && followed.has(edge)) return [];
    const [later, earlier] = [titleOf(index, edge.to), titleOf(index, edge.from)];
    if (edge.why === 'data') {
      const text = `${quoteWords(later, 200)} takes what ${quoteWords(earlier, 200)} gives, but does not wait for it.`;
      return [violate('output_before_made', edge.to, text)];
    }
    const code = isBetweenNodes(index, edge) ? 'stated_order' : 'step_order';
    const text = `It was said that ${quoteWords(later, 200)} waits for ${quoteWords(earlier, 200)}; the roadmap does not keep that.`;
    return [violate(code, edge.to, text)];
  });
}

/** Stated edges against the pattern's order of phases. */
function checkPhases({ index, contradicted }: CollectedEdges): Violation[] {
  const [first] = contradicted;
  if (first === undefined) return [];
  const text = `${quoteWords(titleOf(index, first.to), 200)} does not wait for ${quoteWords(titleOf(index, first.from), 200)}, as the pattern would have it${andMore(contradicted)}.`;
  return [violate('phase_order', first.to, text, false)];
}

/** Series follow their own rule: no edges to or from them. */
function checkSeries(index: OutlineIndex, edges: RoadmapEdge[]): Violation[] {
  const found = edges.filter((edge) => {
    const ends = findEnds(index, edge);
    return ends !== null && seriesOf(index, ends.from) !== seriesOf(index, ends.to);
  });
  const [first] = found;
  if (first === undefined) return [];
  const text = `${quoteWords(titleOf(index, first.to), 200)} cannot wait for ${quoteWords(titleOf(index, first.from), 200)}, since one of them comes again by a rule; its first date holds instead${andMore(found)}.`;
  return [violate('series_edge', first.to, text, false)];
}

function andMore({ length }: RoadmapEdge[]): string {
  return length > 1 ? ` (and ${length - 1} more)` : '';
}
