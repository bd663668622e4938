// The pattern a session may use: a proposed one only after a person approved it (B6).
import { isProposed, type PatternSpec } from '#domain/plan/pattern.ts';
import type { Rfc } from '#domain/planning/state.ts';
import type { ToolContext } from '../tool.ts';

/** What of `spec` is proposed: a new pattern before a new subtype. null: nothing. */
export function findProposal({ pattern_type, subtype }: PatternSpec): string | null {
  if (isProposed(pattern_type)) return pattern_type;
  return subtype !== undefined && isProposed(subtype) ? subtype : null;
}

/** Whether a person must say yes to `spec` first. */
export function needsPerson(spec: PatternSpec, settings: ToolContext['settings']): boolean {
  return (
    isProposed(spec.pattern_type) || (isProposed(spec.subtype) && settings.requireRfcForNewSubtype)
  );
}

export function standingOf(proposal: string, rfc: Rfc | null): Rfc['status'] | null {
  return rfc?.proposes === proposal ? rfc.status : null;
}

/** `spec` without what is proposed in it: its source pattern, no subtype. */
export function withoutProposal(spec: PatternSpec): PatternSpec {
  const { subtype, rfc: _, source_pattern, pattern_type, ...rest } = spec;
  const known = isProposed(pattern_type) ? (source_pattern ?? 'milestone_project') : pattern_type;
  return {
    ...rest,
    pattern_type: known,
    ...(subtype !== undefined && !isProposed(subtype) ? { subtype } : {}),
  };
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
  switch (standingOf(proposal, rfc)) {
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
