// The one call to action under what waits: a plan, or a planning session. The words are the planner's own.
import type { Plan } from '#contracts/plan.ts';
import type { Gate } from '#contracts/planning/stages.ts';
import type { InteractionPolicy } from '#contracts/policy.ts';
import { callToAction as callFor, readAwaited } from '#planner/policy/calls-to-action.ts';
import type { Waits } from './session-subject.ts';

type Tone = InteractionPolicy['tone'];

export function callToAction(plan: Pick<Plan, 'status' | 'id'>, tone: Tone = 'neutral'): string {
  return plan.status === 'needs_review'
    ? `${plan.id} was refused three times; decide about it: reply “approve”, “reject” or “cancel”.`
    : callFor({ kind: 'plan' }, { tone });
}

export function sessionCall(waits: Waits, gate: Gate | null): string {
  const awaited = readAwaited({ kind: waits, gate });
  return awaited === null ? 'Answer it in your own words.' : callFor(awaited, { tone: 'neutral' });
}

const notesSaid = 3;

/** What is said with a plan's card. @param notes what a person should know before they decide */
export function describeProposal(
  plan: Pick<Plan, 'status' | 'id' | 'title' | 'summary' | 'version'>,
  tone: Tone = 'neutral',
  notes: readonly string[] = [],
): string {
  const what = plan.summary ?? plan.title;
  const version = plan.version === 1 ? plan.id : `${plan.id}, version ${plan.version}`;
  const more = notes.length - notesSaid;
  return [
    `${what.replace(/[.\s]*$/, '')}. (${version})`,
    ...notes.slice(0, notesSaid),
    ...(more > 0 ? [`And ${more} more like that.`] : []),
    callToAction(plan, tone),
  ].join('\n');
}
