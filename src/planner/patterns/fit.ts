// Scores how work's shape fits each pattern.
import { isProposed, type PatternSpec, PatternType, withoutMark } from '#domain/plan/pattern.ts';
import type { OutlineNode, PlanOutline, Rhythm, Structure } from '#domain/planning/outline.ts';
import type { Rfc } from '#domain/planning/state.ts';
import type { ToolContext } from '../tool.ts';
import { type Need, patternRules } from './rules.ts';

export type Features = {
  structures: Record<Structure, number>;
  /** `recurring` also if a step repeats itself, `cumulative` also with a target. */
  rhythms: Set<Rhythm>;
  flat: boolean;
};

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
    // One-off counts only with steps, since goals and phases merely group.
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

/** Flat outlines need no phases or milestones. */
export function findNeeds(features: Features, pattern: PatternType): Need[] {
  return patternRules[pattern].needs.filter((need) => {
    if (need.axis === 'rhythm') return !need.any.some((rhythm) => features.rhythms.has(rhythm));
    if (features.flat) return false;
    const count = need.any.reduce((sum, structure) => sum + features.structures[structure], 0);
    return count < need.atLeast;
  });
}

export function findForeignRhythms(features: Features, pattern: PatternType): Rhythm[] {
  const { rhythms } = patternRules[pattern];
  return [...features.rhythms].filter((rhythm) => !rhythms.includes(rhythm));
}

function weighFit(features: Features, pattern: PatternType): number {
  const lacking = findNeeds(features, pattern).length;
  const foreign = findForeignRhythms(features, pattern).length;
  return 1 / (1 + lacking + foreign);
}

export function fitOutline(outline: Pick<PlanOutline, 'nodes'>, pattern: PatternType): number {
  return weighFit(readFeatures(outline), pattern);
}

/** Ties: plainest first. */
export function rankPatterns(features: Features): { pattern_type: PatternType; score: number }[] {
  return PatternType.options
    .map((pattern_type) => ({ pattern_type, score: weighFit(features, pattern_type) }))
    .sort((one, other) => other.score - one.score);
}

/** Without confidence: requires nothing. */
export function patternOf(features: Features): PatternSpec {
  const [first] = rankPatterns(features);
  return { pattern_type: first?.pattern_type ?? 'milestone_project', introduced_by: 'system' };
}

export function findProposal({ pattern_type, subtype }: PatternSpec): string | null {
  if (isProposed(pattern_type)) return pattern_type;
  return subtype !== undefined && isProposed(subtype) ? subtype : null;
}

export function needsPerson(spec: PatternSpec, settings: ToolContext['settings']): boolean {
  return (
    isProposed(spec.pattern_type) || (isProposed(spec.subtype) && settings.requireRfcForNewSubtype)
  );
}

export function statusOfRfc(proposal: string, rfc: Rfc | null): Rfc['status'] | null {
  return rfc?.proposes === proposal ? rfc.status : null;
}

export function withoutProposal(spec: PatternSpec): PatternSpec {
  const { subtype, rfc: _, source_pattern, pattern_type, ...rest } = spec;
  const known = isProposed(pattern_type) ? (source_pattern ?? 'milestone_project') : pattern_type;
  return {
    ...rest,
    pattern_type: known,
    ...(subtype !== undefined && !isProposed(subtype) ? { subtype } : {}),
  };
}

/** A proposed pattern keeps its source's rules and mark. */
export function approvedPattern(spec: PatternSpec): PatternSpec {
  const { subtype } = spec;
  return subtype === undefined ? spec : { ...spec, subtype: withoutMark(subtype) };
}

export function usePattern({
  state: { pattern, rfc },
  settings,
}: ToolContext): { spec: PatternSpec; notes: string[] } | { refused: string } {
  const spec: PatternSpec = pattern ?? {
    pattern_type: 'milestone_project',
    introduced_by: 'system',
  };
  const proposal = findProposal(spec);
  if (proposal === null || !needsPerson(spec, settings)) return { spec, notes: [] };
  switch (statusOfRfc(proposal, rfc)) {
    case 'approved':
      return { spec, notes: [] };
    case 'rejected': {
      const known = withoutProposal(spec);
      return {
        spec: known,
        notes: [`${proposal} was rejected; planned as ${known.pattern_type}.`],
      };
    }
    default:
      return {
        refused: `${proposal} waits for a person’s word. Choose a known pattern with select_pattern.`,
      };
  }
}
