// Interaction policies (B12).
import { z } from 'zod';

export const InteractionPolicy = z.strictObject({
  conversation_style: z.enum(['concise', 'standard', 'conversational', 'coach']),
  talkativeness: z.number().min(0).max(1),
  autonomy: z.enum(['high', 'medium', 'low']),
  brainstorming_preference: z.enum(['on_demand', 'suggest_when_uncertain', 'always_offer']),
  approval_policy: z.enum(['single_final', 'milestone_approvals', 'strict_every_step']),
  probing_depth: z.number().int().min(0).max(3),
  tone: z.enum(['neutral', 'friendly', 'clinical']),
});
export type InteractionPolicy = z.infer<typeof InteractionPolicy>;

export const PolicyOverride = InteractionPolicy.partial();
export type PolicyOverride = z.infer<typeof PolicyOverride>;

export function applyOverride(
  base: InteractionPolicy,
  override: PolicyOverride,
): InteractionPolicy {
  return InteractionPolicy.parse({ ...base, ...override });
}

export const defaultPolicy: InteractionPolicy = {
  conversation_style: 'standard',
  talkativeness: 0.5,
  autonomy: 'medium',
  brainstorming_preference: 'on_demand',
  approval_policy: 'single_final',
  probing_depth: 2,
  tone: 'neutral',
};

/** A stated communication preference. */
export type PolicyRequest = {
  override: PolicyOverride;
  /** "From now on"; otherwise this conversation. */
  lasting: boolean;
  confirmation: string;
  rest: string;
  /** Plan with what is known. */
  settlesQuestions: boolean;
};
