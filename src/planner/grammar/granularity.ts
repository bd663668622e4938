// How fine an outline may be, by the level of reasoning that was asked for (0 to 10).
import type { PlanOutline } from '#contracts/planning/outline.ts';
import type { Adaptation } from '#contracts/planning/trace.ts';
import { applyFixes } from './fix.ts';
import type { Fix } from './fix-kinds.ts';
import { deepest, readTree } from './outline-tree.ts';

/** Levels that an outline has at most: a goal and its tasks for the lowest, whatever fits for the highest. */
export function levelsWanted(reasoningLevel: number): number {
  if (reasoningLevel <= 1) return 2;
  if (reasoningLevel <= 2) return 3;
  return reasoningLevel < 7 ? 4 : deepest;
}

/** `outline` in at most `levels` levels: what lies deeper stands beside what it was a part of. */
export function limitLevels(
  outline: PlanOutline,
  levels: number,
): { outline: PlanOutline; adaptations: Adaptation[] } {
  const { nodes, depths, parts } = readTree(outline.nodes);
  const why = `More than ${levels} levels are finer than was asked for.`;
  const fixes = nodes.flatMap(({ id }, index): Fix[] =>
    depths[index] === levels && (parts[index]?.length ?? 0) > 0
      ? [{ do: 'flatten', code: 'too_deep', why, node: id }]
      : [],
  );
  return fixes.length === 0 ? { outline, adaptations: [] } : applyFixes(outline, fixes);
}
