// What a waiting plan or planning session asks a person to do.
import type { CallToAction, MessageParts } from '#domain/chat/message-parts.ts';
import type { InteractionPolicy } from '#domain/people/policy.ts';
import type { Plan } from '#domain/plan/plan.ts';

type Tone = InteractionPolicy['tone'];

export function callOfPlan(
  plan: Pick<Plan, 'status' | 'id'>,
  tone: Tone = 'neutral',
): CallToAction {
  return plan.status === 'needs_review'
    ? { kind: 'review', plan_id: plan.id }
    : { kind: 'plan', tone };
}

/** The message with a plan's card. @param notes what to know before deciding */
export function describeProposal(
  plan: Pick<Plan, 'status' | 'id' | 'title' | 'summary' | 'version'>,
  tone: Tone = 'neutral',
  notes: string[] = [],
): MessageParts {
  const summary = plan.summary ?? plan.title;
  return {
    kind: 'proposal',
    facts: { plan_id: plan.id, version: plan.version, summary, notes },
    action: callOfPlan(plan, tone),
  };
}
