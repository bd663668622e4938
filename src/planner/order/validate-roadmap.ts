// Validates a roadmap against its outline: it can be followed, keeps what was stated, and produces outputs before their use. What
// the outline asks for and no roadmap can give is told as a doubt. Its edges and waves come from the builder, which makes them sound.
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { Roadmap, RoadmapEdge } from '#domain/planning/roadmap.ts';
import type { Violation } from '#domain/planning/trace.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { violate } from '../outline/names.ts';
import { findEdgeCycle, findEnds } from '../outline/precedence.ts';
import { type CollectedEdges, collectEdges, isSaidOfNodes } from './collect-edges.ts';
import { describeCycle, titleOf } from './name-nodes.ts';
import { type OutlineIndex, seriesOf } from './outline-index.ts';
import { findImplied } from './reduce-edges.ts';

/** Of each kind this many are told; the rest adds nothing that helps to mend them. */
const maxTold = 10;

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
  return [...kinds.values()].flatMap((kind) => kind.slice(0, maxTold));
}

/** What was said of two nodes, and what one takes from the other, must follow from the roadmap. */
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
    const code = isSaidOfNodes(index, edge) ? 'stated_order' : 'step_order';
    const text = `It was said that ${quoteWords(later, 200)} waits for ${quoteWords(earlier, 200)}; the roadmap does not keep that.`;
    return [violate(code, edge.to, text)];
  });
}

/** The pattern's order of phases, where something that was said contradicts it. */
function checkPhases({ index, contradicted }: CollectedEdges): Violation[] {
  const [first] = contradicted;
  if (first === undefined) return [];
  const text = `${quoteWords(titleOf(index, first.to), 200)} does not wait for ${quoteWords(titleOf(index, first.from), 200)}, as the pattern would have it${andMore(contradicted)}.`;
  return [violate('phase_order', first.to, text, false)];
}

/** What comes again has a rule of its own: it waits for nothing, and nothing waits for it. */
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
