// The effects of an InteractionPolicy. Every effect goes through a function here, so a policy behaves the same in every tool,
// with and without a model.
import type { InteractionPolicy } from '#domain/people/policy.ts';
import type { Gate } from '#domain/planning/stages.ts';

/** Depends on probing_depth. */
export function questionsAllowed(policy: InteractionPolicy, asked: number): number {
  return Math.max(0, policy.probing_depth - Math.max(0, asked));
}

/** Below, a person wants little to read; at `talkative` and above, all there is. */
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

/** A coach always gives a step's reasons. */
export function explainsReasons(policy: InteractionPolicy): boolean {
  return policy.conversation_style === 'coach' || detailOf(policy) === 'full';
}

/** For a text besides its call to action; models are asked to comply. */
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

/** By autonomy; otherwise it is assumed and noted. Without a default a person must be asked. */
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

/** 0.40–0.69: neither sure nor lost. Compared in millionths, so that sums of shares do not miss their bound. */
export function isBorderline(confidence: number): boolean {
  const millionths = Math.round(confidence * 1e6);
  return millionths >= 400_000 && millionths < 700_000;
}

/**
 * By brainstorming_preference. @param confidence of the stage so far, or null if unknown @param askedFor explicitly, by the
 * person
 */
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

/** Artifacts that wait for a person before the plan itself does (approval_policy). */
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

/** Each step waits for a person before it runs (approval_policy). */
export function confirmsEach(policy: InteractionPolicy): boolean {
  return policy.approval_policy === 'strict_every_step';
}
