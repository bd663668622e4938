// What the outline's pattern asks of the whole: its rhythms, its phases, what it cannot do without.
import type { PlanOutline } from '#contracts/planning/outline.ts';
import { canonicalPattern } from '#contracts/planning/pattern.ts';
import type { Violation } from '#contracts/planning/trace.ts';
import { listOf } from '#contracts/words.ts';
import { findForeignRhythms, findNeeds, readFeatures } from '../patterns/features.ts';
import { patternRules } from '../patterns/rules.ts';
import { nameNode, violate } from './names.ts';
import { findWork, type Tree } from './outline-tree.ts';

export function checkPattern(outline: PlanOutline, tree: Tree): Violation[] {
  const { pattern } = outline;
  const features = readFeatures(outline);
  // A pattern that was only guessed from words describes a plain plan; it demands nothing of it.
  if (features.flat && pattern.confidence === undefined) return [];
  const type = canonicalPattern(pattern);
  const { title } = patternRules[type];
  const lacking = findNeeds(features, type).map(({ axis, text }) =>
    violate(
      'pattern_mismatch',
      null,
      `A ${title} has ${text}; this outline has not. Add it, or choose another pattern.`,
      axis === 'rhythm' && !features.flat,
    ),
  );
  const foreign = findForeignRhythms(features, type);
  const strange =
    foreign.length === 0
      ? []
      : [
          violate(
            'pattern_mismatch',
            outline.nodes.find(({ rhythm }) => foreign.includes(rhythm))?.id ?? null,
            `A ${title} has nothing ${listOf(
              foreign.map((rhythm) => rhythm.replace('_', '-')),
              'or',
            )}. Choose another pattern.`,
            false,
          ),
        ];
  return [...lacking, ...strange, ...checkPhases(outline, tree)];
}

/** Each phase holds what the pattern wants of phases; told of the topmost only, since a part's part counts. */
function checkPhases({ pattern }: PlanOutline, tree: Tree): Violation[] {
  const { nodes, order, parents, parts } = tree;
  const works = findWork(tree);
  const { phaseHolds, title } = patternRules[canonicalPattern(pattern)];
  const holds = nodes.map(({ structure }) => phaseHolds.includes(structure));
  for (const index of order.toReversed()) {
    const parent = parents[index] ?? -1;
    if (holds[index] === true && parent !== -1) holds[parent] = true;
  }
  return nodes.flatMap((node, index) => {
    // What is empty, or no phase at all, is told by the rules of structure.
    if (node.structure !== 'phase' || holds[index] === true || works[index] !== true) return [];
    if ((parts[index]?.length ?? 0) === 0) return [];
    if (nodes[parents[index] ?? -1]?.structure === 'phase') return [];
    const text = `${nameNode(node)} has no ${listOf(phaseHolds, 'or')}, which phases of a ${title} have. Add one at its end.`;
    return [violate('phase_lacks', node.id, text, false)];
  });
}
