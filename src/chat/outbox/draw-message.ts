// Draws a message as it should look now; its plan is read again each time.
import { hash } from 'node:crypto';
import type { PostRow } from '#db/chat/posts.ts';
import type { PlanCardFacts } from '#domain/chat/card.ts';
import type { ChatContent } from '#domain/chat/chat.ts';
import { readParts } from '#domain/chat/message-parts.ts';
import type { SessionCardFacts } from '#domain/chat/session-card.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import type { PlanStatus } from '#domain/plan/plan.ts';
import type { DeliveryContext } from './delivery-context.ts';
import type { Visit } from './visit.ts';

const ended = new Set<PlanStatus>(['completed', 'cancelled']);

/** Whether nothing follows: the card is drawn once more and rests. */
function isOver({ plan, patch }: PlanCardFacts): boolean {
  return ended.has(plan.status) && patch === null;
}

/** Whether anybody still has to decide, answer or settle something. */
function waitsForPeople(facts: PlanCardFacts): boolean {
  if (isOver(facts)) return false;
  const { plan, patch } = facts;
  const asked = plan.counts.waiting + plan.counts.unknown > 0 || patch !== null;
  return asked || ['proposed', 'needs_review', 'stalled', 'failed'].includes(plan.status);
}

/** Whether a session's card can still change: while it is the latest of its run and waits, or can be asked once more. */
function isOpen(session: SessionCardFacts | null): boolean {
  return session !== null && session.over === null && session.status !== 'complete';
}

export type Drawing = {
  content: ChatContent;
  digest: string;
  /** The version of the plan it shows; 0: its card is left out, null: it is about no plan. */
  version: number | null;
  /** The plan has ended, or the session has gone on: this is its last drawing. */
  rests: boolean;
  /** It must be seen by somebody. */
  needed: boolean;
  /** Its card was left out only because the platform takes nothing, and is to follow. */
  follows: boolean;
};

/** null: there is none. */
async function unlessMissing<T>(reading: Promise<T | null>): Promise<T | null> {
  try {
    return await reading;
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    if (
      error.code === 'plan_not_found' ||
      error.code === 'plan_deleted' ||
      error.code === 'run_not_found'
    )
      return null;
    throw error;
  }
}

/**
 * Draws a message for a place. A card that failed twice, or for long, is left out: what is said about the plan must get
 * through.
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
  { conversation, place, timezone }: Visit,
  {
    message_id: id,
    text,
    parts,
    plan_id,
    run_id,
    run_turn: turn,
    post,
    superseded,
    failures,
    failing_ms,
  }: PostRow,
): Promise<Drawing> {
  const isCard = plan_id !== null || run_id !== null;
  const late = failing_ms >= context.rule.bareAfterMs;
  const bare = post === null && (failures >= 2 || late);
  const facts =
    bare || plan_id === null ? null : await unlessMissing(context.readFacts(plan_id, timezone));
  const said =
    bare || run_id === null || turn === null
      ? null
      : { run_id, turn, message: { id, conversation, text } };
  const session = said === null ? null : await unlessMissing(context.readSession(said, timezone));
  const asked =
    facts === null || superseded
      ? null
      : await context.readAsked({
          id,
          conversation,
          plan_id,
          parts: readParts(parts),
          alone: timezone !== null,
        });
  const content = context.draw(place.platform, {
    text,
    parts: readParts(parts),
    facts,
    session,
    asked,
    superseded,
  });
  return {
    content,
    digest: hash('sha256', JSON.stringify(content), 'hex'),
    version: facts?.plan.version ?? (plan_id === null ? null : 0),
    rests: facts === null ? run_id !== null && !bare && !isOpen(session) : isOver(facts),
    follows: bare && isCard && failures < 2,
    needed: (facts !== null && !superseded && waitsForPeople(facts)) || isOpen(session),
  };
}
