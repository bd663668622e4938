// The one call to action under what waits: a plan, or a planning session.
import type { Plan } from '#contracts/plan.ts';
import type { Waits } from './session-subject.ts';

export function callToAction(plan: Pick<Plan, 'status' | 'id'>): string {
  return plan.status === 'needs_review'
    ? `${plan.id} was refused three times; decide about it: reply “approve”, “reject” or “cancel”.`
    : 'Reply “approve”, “propose changes: …” or “reject”.';
}

export function sessionCall(waits: Waits): string {
  switch (waits) {
    case 'gate':
    case 'rfc':
      return 'Reply “approve”, “propose changes: …” or “reject”.';
    case 'budget':
      return 'Reply “go on” or “stop”.';
    case 'escalation':
      return 'Reply “propose changes: …” with what may give way, or “reject”.';
    case 'questions':
      return 'Answer in your own words.';
    default:
      return waits satisfies never;
  }
}

/** What is said with a plan's card. */
export function describeProposal(
  plan: Pick<Plan, 'status' | 'id' | 'title' | 'summary' | 'version'>,
): string {
  const what = plan.summary ?? plan.title;
  const version = plan.version === 1 ? plan.id : `${plan.id}, version ${plan.version}`;
  return `${what.replace(/[.\s]*$/, '')}. (${version})\n${callToAction(plan)}`;
}
