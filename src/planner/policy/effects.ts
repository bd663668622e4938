// The only place an InteractionPolicy takes effect.
import type { InteractionPolicy } from '#domain/people/policy.ts';
import type { Gate } from '#domain/planning/stages.ts';

export function questionsAllowed(policy: InteractionPolicy, asked: number): number {
  return Math.max(0, policy.probing_depth - Math.max(0, asked));
}

/** Below, brief; from `talkative`, everything. */
const quiet = 0.3;
const talkative = 0.7;

export function optionsWanted(policy: InteractionPolicy): 2 | 3 {
  return policy.conversation_style === 'concise' || policy.talkativeness < quiet ? 2 : 3;
}

export type Detail = 'short' | 'normal' | 'full';

export function detailOf(policy: InteractionPolicy): Detail {
  const { conversation_style: style, talkativeness } = policy;
  switch (style) {
    case 'concise':
      return talkativeness >= talkative ? 'normal' : 'short';
    case 'standard':
      if (talkativeness < quiet) return 'short';
      return talkativeness >= talkative ? 'full' : 'normal';
    case 'conversational':
      return talkativeness < quiet ? 'normal' : 'full';
    case 'coach':
      return 'full';
    default:
      return style satisfies never;
  }
}

export function explainsReasons(policy: InteractionPolicy): boolean {
  return policy.conversation_style === 'coach' || detailOf(policy) === 'full';
}

export function lengthOf(policy: InteractionPolicy): { sentences: number; items: number } {
  const detail = detailOf(policy);
  switch (detail) {
    case 'short':
      return { sentences: 2, items: 3 };
    case 'normal':
      return { sentences: 6, items: 7 };
    case 'full':
      return { sentences: 20, items: 20 };
    default:
      return detail satisfies never;
  }
}

/** Otherwise assumed and noted; a question without a default is always asked. */
export function asksAbout(
  policy: InteractionPolicy,
  question: { essential: boolean; default: string | null },
): boolean {
  if (question.default === null) return true;
  switch (policy.autonomy) {
    case 'high':
      return false;
    case 'medium':
      return question.essential;
    case 'low':
      return true;
    default:
      return policy.autonomy satisfies never;
  }
}

/** 0.40–0.69, compared in millionths against rounding errors. */
export function isBorderline(confidence: number): boolean {
  const millionths = Math.round(confidence * 1e6);
  return millionths >= 400_000 && millionths < 700_000;
}

/** @param confidence null if unknown @param askedFor by the person */
export function offersIdeas(
  policy: InteractionPolicy,
  confidence: number | null,
  askedFor: boolean,
): boolean {
  if (askedFor) return true;
  switch (policy.brainstorming_preference) {
    case 'on_demand':
      return false;
    case 'suggest_when_uncertain':
      return confidence !== null && isBorderline(confidence);
    case 'always_offer':
      return true;
    default:
      return policy.brainstorming_preference satisfies never;
  }
}

/** Artifacts approved before the plan (approval_policy). */
export function gatesWanted(policy: InteractionPolicy): Gate[] {
  switch (policy.approval_policy) {
    case 'single_final':
      return [];
    case 'milestone_approvals':
    case 'strict_every_step':
      return ['outline', 'roadmap', 'schedule'];
    default:
      return policy.approval_policy satisfies never;
  }
}

/** Each step waits for a person (approval_policy). */
export function confirmsEach(policy: InteractionPolicy): boolean {
  return policy.approval_policy === 'strict_every_step';
}
