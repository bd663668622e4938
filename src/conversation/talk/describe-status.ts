// What is answered to `status`.
import { statusWords } from '#plans/lifecycle-table.ts';
import { readPlanRow } from '#store/plans.ts';
import type { ConversationContext } from '../conversation-context.ts';
import { describeSession } from '../session-talk.ts';
import type { Subject } from './subject.ts';

/** Where a plan stands, in a sentence. */
export async function describeStatus(
  context: ConversationContext,
  subject: Subject,
): Promise<string> {
  const { shown, planning, session } = subject;
  if (session !== null) return describeSession(context, session);
  if (shown === null) {
    return planning ? 'I am still planning.' : 'There is no plan in this conversation.';
  }
  const plan = await readPlanRow(context.db.query, shown.id);
  const left = plan.pending + plan.ready + plan.running + plan.waiting + plan.unknown;
  const progress =
    plan.status === 'executing'
      ? `: ${plan.succeeded} of ${plan.total} steps done, ${left} to go`
      : '';
  const result = plan.result_summary === null ? '' : ` ${plan.result_summary}`;
  return `${plan.id} (version ${plan.version}) is ${statusWords[plan.status]}${progress}.${result}`;
}
