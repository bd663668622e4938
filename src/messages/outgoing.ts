// Messages to people: calls to action of waiting plans and planning sessions, the length limit, and the job that delivers to a
// conversation on a chat platform.
import { refusalWords } from '#cards/decision-words.ts';
import { askForDelivery } from '#db/chat/places.ts';
import type { Transaction } from '#db/database.ts';
import type { CallToAction, MessageParts } from '#domain/chat/message-parts.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Enqueue } from '#domain/jobs.ts';
import type { InteractionPolicy } from '#domain/people/policy.ts';
import type { Plan } from '#domain/plan/plan.ts';
import { longestMessage } from '#domain/text.ts';

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

/** The problem with a message's length, with advice, or null. */
export function explainLength(text: string): string | null {
  if (text.length <= longestMessage) return null;
  return refusalWords.tooLong({ characters: text.length });
}

/** @throws `invalid_request`, which names the limit */
export function requireReadable(text: string): void {
  const problem = explainLength(text);
  if (problem === null) return;
  const details = { limit_characters: longestMessage };
  throw new CountersignError('invalid_request', problem, { details });
}

/**
 * In the caller's transaction; delivery later reads the current state.
 * @param later low priority: never ahead of a reply to a person
 */
export async function askToDeliver(
  { enqueue }: { enqueue: Enqueue<Transaction> },
  tx: Transaction,
  conversation: string,
  later = false,
): Promise<void> {
  if (await askForDelivery(tx, conversation)) await sendDelivery(enqueue, tx, conversation, later);
}

/** Sends only the job. Urgent ones have their own key, so that they aren't merged into a waiting one. */
export async function sendDelivery(
  enqueue: Enqueue<Transaction>,
  tx: Transaction,
  conversation: string,
  later: boolean,
): Promise<void> {
  const options = later ? { key: conversation } : { key: `${conversation}@soon`, urgent: true };
  await enqueue(tx, 'deliver', { conversation }, options);
}
