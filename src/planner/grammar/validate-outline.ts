// The grammar of outlines (B7): every rule on both axes, as violations that each name what mends them. Linear.
import type { PlanOutline } from '#contracts/planning/outline.ts';
import type { Violation } from '#contracts/planning/trace.ts';
import { readTree } from './outline-tree.ts';
import { checkPattern } from './pattern-rules.ts';
import { checkPrecedence } from './precedence-rules.ts';
import { checkRhythms } from './rhythm-rules.ts';
import { checkStructure } from './structure-rules.ts';

export function validateOutline(outline: PlanOutline): Violation[] {
  const tree = readTree(outline.nodes);
  const structure = checkStructure(outline, tree);
  if (structure.some(({ code }) => code === 'no_work')) return structure;
  return [
    ...structure,
    ...checkPrecedence(tree),
    ...checkRhythms(outline, tree),
    ...checkPattern(outline, tree),
  ];
}

/**
 * The rule score of B8, 0..1: 1 without violations. One that blocks weighs much in an outline of any size; the others
 * weigh by how large a part of the outline they are.
 */
export function scoreRules(violations: Violation[], nodes: number): number {
  const blocking = violations.filter((violation) => violation.blocking).length;
  const rest = violations.length - blocking;
  return 1 / (1 + blocking / 2 + rest / Math.max(10, nodes));
}
