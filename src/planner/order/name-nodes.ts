// Names nodes in sentences.
import type { RoadmapEdge } from '#domain/planning/roadmap.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { listOf, shorten } from '#domain/words.ts';
import type { OutlineIndex } from '../outline/outline-tree.ts';

const maxNamed = 5;

export function titleOf({ nodes, places }: OutlineIndex, id: string): string {
  return shorten(nodes[places.get(id) ?? -1]?.title ?? id, 80);
}

const reasons: Record<RoadmapEdge['why'], string> = {
  stated: 'as was said',
  data: 'for what it gives',
  pattern: 'by the pattern',
  strategy: 'by the chosen way',
};

/** “B” waits for “A” as stated, “A” waits for “B” for its output. */
export function describeCycle(index: OutlineIndex, cycle: RoadmapEdge[]): string {
  const parts = cycle
    .slice(0, maxNamed)
    .map(
      ({ from, to, why }) =>
        `${quoteWords(titleOf(index, to), 200)} waits for ${quoteWords(titleOf(index, from), 200)} ${reasons[why]}`,
    );
  const more = cycle.length - parts.length;
  const all = more > 0 ? [...parts, `${more} more in between`] : parts;
  return `${listOf(all)}, so none of them can begin.`;
}
