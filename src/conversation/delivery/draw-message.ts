// A message as it is to be seen now: its plan is read afresh each time.
import { hash } from 'node:crypto';
import type { PlanCardFacts } from '#contracts/card.ts';
import type { ChatContent } from '#contracts/chat.ts';
import { CountersignError, errorMessage } from '#contracts/errors.ts';
import type { PlanStatus } from '#contracts/plan.ts';
import type { PostRow } from '#store/chat-posts.ts';
import type { DeliveryContext } from './delivery-context.ts';
import type { Visit } from './visit.ts';

/** Nothing follows these; their card is drawn once more and rests. */
const ended = new Set<PlanStatus>(['completed', 'cancelled']);

/** Whether anybody still has to decide, answer or settle something. */
function waitsForPeople({ plan, patch }: PlanCardFacts): boolean {
  if (ended.has(plan.status)) return false;
  const asked = plan.counts.waiting + plan.counts.unknown > 0 || patch !== null;
  return asked || ['proposed', 'needs_review', 'stalled', 'failed'].includes(plan.status);
}

export type Drawing = {
  content: ChatContent;
  digest: string;
  /** The plan has ended: this is its last drawing. */
  rests: boolean;
  /** It must be seen by somebody. */
  needed: boolean;
};

async function readFactsOf(
  { readFacts }: DeliveryContext,
  planId: string,
  timezone: string | null,
): Promise<PlanCardFacts | null> {
  try {
    return await readFacts(planId, timezone);
  } catch (error) {
    if (error instanceof CountersignError && error.code === 'plan_not_found') return null;
    throw error;
  }
}

/**
 * Draws a message for a place. A card that failed twice is left out: what is said about the plan must get through.
 * @throws what is the message's own fault, never the place's
 */
export async function drawMessage(
  context: DeliveryContext,
  visit: Visit,
  row: PostRow,
): Promise<Drawing> {
  try {
    return await draw(context, visit, row);
  } catch (cause) {
    throw new Error(`The message could not be drawn: ${errorMessage(cause)}`, { cause });
  }
}

async function draw(
  context: DeliveryContext,
  { place, timezone }: Visit,
  { text, plan_id, post, superseded, failures }: PostRow,
): Promise<Drawing> {
  const bare = plan_id === null || (post === null && failures >= 2);
  const facts = bare ? null : await readFactsOf(context, plan_id, timezone);
  const content = context.draw(place.platform, { text, facts, superseded });
  return {
    content,
    digest: hash('sha256', JSON.stringify(content), 'hex'),
    rests: facts !== null && ended.has(facts.plan.status),
    needed: facts !== null && !superseded && waitsForPeople(facts),
  };
}
