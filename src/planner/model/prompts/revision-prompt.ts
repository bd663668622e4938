// Asks for a new version of a refused plan.
import type { PlanDraft } from '#contracts/plan.ts';
import { wrapUntrusted } from '../../agent/tool-call.ts';

export function writeRevisionPrompt(previous: PlanDraft, feedback: string[]): string {
  return [
    'The person refused the plan below. Propose a new version with plan_propose that takes all of their feedback into account.',
    'Keep the ids, words and order of steps that the feedback is not about.',
    `Feedback, oldest first:\n${feedback.map((item, index) => `${index + 1}. ${item}`).join('\n')}`,
    wrapUntrusted('refused_plan', JSON.stringify(previous)),
  ].join('\n\n');
}
