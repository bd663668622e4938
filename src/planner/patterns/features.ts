// Features of an outline that tell patterns apart, counted in one pass.
import type { OutlineNode, PlanOutline, Rhythm, Structure } from '#domain/planning/outline.ts';
import type { PatternType } from '#domain/planning/pattern.ts';
import type { Need } from './rules/shape.ts';
import { patternRules } from './rules.ts';

export type Features = {
  /** How many nodes there are of each structure. */
  structures: Record<Structure, number>;
  /** Rhythms of nodes; also `recurring` where a step repeats by a rule of its own, and `cumulative` where there is a target. */
  rhythms: Set<Rhythm>;
  /** Nothing but tasks and checkpoints right under one goal, or where a goal is missing. */
  flat: boolean;
};

/** Operations such as a reminder repeat by themselves: then the node does not have to. */
function repeatsByItself({ steps }: OutlineNode): boolean {
  return steps.some(({ args }) => typeof args?.rrule === 'string' && args.rrule !== '');
}

export function readFeatures({ nodes }: Pick<PlanOutline, 'nodes'>): Features {
  const structures = { goal: 0, phase: 0, milestone: 0, task: 0, checkpoint: 0 };
  const rhythms = new Set<Rhythm>();
  const roots = new Set<string>();
  for (const node of nodes) {
    structures[node.structure] += 1;
    if (node.parent === null) roots.add(node.id);
    // A goal or phase only groups: what is done once is done by the work in it.
    if (node.rhythm !== 'one_off' || node.steps.length > 0) rhythms.add(node.rhythm);
    if (node.target !== null) rhythms.add('cumulative');
    if (repeatsByItself(node)) rhythms.add('recurring');
  }
  const flat =
    structures.goal <= 1 &&
    structures.phase + structures.milestone === 0 &&
    nodes.every(({ parent }) => parent === null || roots.has(parent));
  return { structures, rhythms, flat };
}

/** What `pattern` cannot do without and the outline lacks. Flat outlines are too small for phases and milestones. */
export function findNeeds(features: Features, pattern: PatternType): Need[] {
  return patternRules[pattern].needs.filter((need) => {
    if (need.axis === 'rhythm') return !need.any.some((rhythm) => features.rhythms.has(rhythm));
    if (features.flat) return false;
    const count = need.any.reduce((sum, structure) => sum + features.structures[structure], 0);
    return count < need.atLeast;
  });
}

/** Rhythms of the outline that `pattern` has no place for. */
export function findForeignRhythms(features: Features, pattern: PatternType): Rhythm[] {
  const { rhythms } = patternRules[pattern];
  return [...features.rhythms].filter((rhythm) => !rhythms.includes(rhythm));
}
