// The one call to action under a plan that waits.
import type { Plan } from '#contracts/plan.ts';

export function callToAction(plan: Pick<Plan, 'status' | 'id'>): string {
  return plan.status === 'needs_review'
    ? `${plan.id} was refused three times; decide about it: reply “approve”, “reject” or “cancel”.`
    : 'Reply “approve”, “propose changes: …” or “reject”.';
}

/** What is said with a plan's card. */
export function describeProposal(
  plan: Pick<Plan, 'status' | 'id' | 'title' | 'summary' | 'version'>,
): string {
  const what = plan.summary ?? plan.title;
  const version = plan.version === 1 ? plan.id : `${plan.id}, version ${plan.version}`;
  return `${what.replace(/[.\s]*$/, '')}. (${version})\n${callToAction(plan)}`;
}
