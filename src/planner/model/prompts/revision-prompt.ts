// Asks for a new version of what the person wants changed.
import type { PlanDraft } from '#contracts/plan.ts';
import type { Stage } from '#contracts/planning/stages.ts';
import { wrapUntrusted } from '../../agent/tool-call.ts';

export function writeRevisionPrompt(previous: PlanDraft, feedback: string[], stage: Stage): string {
  const what =
    stage === 'DRAFT_ROADMAP'
      ? 'Change only the order, as the feedback says.'
      : stage === 'DRAFT_SCHEDULE'
        ? 'Change only times, as the feedback says.'
        : 'Propose a new version (generate_nodes, or plan_propose for a plan of plain steps) that takes all of their feedback into account.';
  return [
    `The person wants the plan below changed. ${what}`,
    'Keep the ids, words and order of everything that the feedback is not about.',
    `Feedback, oldest first:\n${feedback.map((item, index) => `${index + 1}. ${item}`).join('\n')}`,
    wrapUntrusted('refused_plan', JSON.stringify(previous)),
  ].join('\n\n');
}
