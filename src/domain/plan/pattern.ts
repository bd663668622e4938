// Patterns of work (B6): one of five, with a subtype.
import { z } from 'zod';
import { line } from '../text.ts';

export const PatternType = z.enum([
  'milestone_project',
  'recurring_cycle',
  'progressive_accumulation_arc',
  'hybrid_project_cycle',
  'strategic_transformation',
]);
export type PatternType = z.infer<typeof PatternType>;

const proposedName = /^proposed:[a-z][a-z0-9_]{0,79}$/;

export const ProposedName = z.string().regex(proposedName, 'must be proposed:<snake_case_name>');

export const IntroducedBy = z.enum(['system', 'user_feedback', 'ai_adaptation']);
export type IntroducedBy = z.infer<typeof IntroducedBy>;

export const PatternSpec = z.strictObject({
  /** Canonical, or `proposed:<name>` with `source_pattern` and `rfc`. */
  pattern_type: z.union([PatternType, ProposedName]),
  /** Known, the person's word, or `proposed:<name>` with `rfc`. */
  subtype: line(100).optional(),
  variant: line(100).optional(),
  confidence: z.number().min(0).max(1).optional(),
  introduced_by: IntroducedBy.default('system'),
  /** Its rules apply to a proposed pattern. */
  source_pattern: PatternType.optional(),
  rfc: line(2000).optional(),
});
export type PatternSpec = z.infer<typeof PatternSpec>;

export function isProposed(name: string | undefined): boolean {
  return name?.startsWith('proposed:') ?? false;
}

export const withoutMark = (name: string): string => name.replace(/^proposed:/, '');

export function canonicalPattern(pattern: PatternSpec): PatternType {
  const known = PatternType.safeParse(pattern.pattern_type);
  return known.success ? known.data : (pattern.source_pattern ?? 'milestone_project');
}
