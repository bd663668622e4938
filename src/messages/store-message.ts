// Stores messages of the bot and of people, and queues their delivery.
import { refusalWords } from '#cards/decision-words.ts';
import { writeMessage } from '#cards/message-text.ts';
import { appendMessage, type NewMessage } from '#db/chat/messages.ts';
import { askForDelivery } from '#db/chat/places.ts';
import type { Transaction } from '#db/database.ts';
import {
  type CallToAction,
  type MessageParts,
  plainMessage,
  textParts,
} from '#domain/chat/message-parts.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Enqueue } from '#domain/jobs.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { InteractionPolicy } from '#domain/people/policy.ts';
import type { Plan } from '#domain/plan/plan.ts';
import { longestMessage } from '#domain/text.ts';

const botName = 'Countersign';

/** In the caller's transaction. @param later low priority @returns null if its `once` key exists */
export async function speakAsBot(
  context: { enqueue: Enqueue<Transaction> },
  tx: Transaction,
  {
    says,
    ...message
  }: Omit<NewMessage, 'author' | 'name' | 'text' | 'parts'> & { says: string | MessageParts },
  later = false,
): Promise<number | null> {
  const stored =
    typeof says === 'string'
      ? { text: says, parts: textParts }
      : { text: writeMessage(says, ''), parts: says };
  const sent = await appendMessage(tx, { ...message, ...stored, author: 'bot', name: botName });
  if (sent !== null) await askToDeliver(context, tx, message.conversation, later);
  return sent;
}

/** Thrown before anything changes. */
export class AlreadyHandled extends Error {
  constructor(once: string) {
    super(`${once} was handled before.`);
    this.name = 'AlreadyHandled';
  }
}

/** @returns its ID @throws AlreadyHandled, `not_found` if the conversation is another organisation's; roll back */
export async function storePersonMessage(
  tx: Transaction,
  input: {
    conversation: string;
    actor: Pick<Actor, 'id' | 'tenant'>;
    name?: string;
    text: string;
    runId: string | null;
    parts?: MessageParts;
    /** The message's external ID. */
    once?: string | undefined;
  },
): Promise<number | null> {
  const { once, actor, ...message } = input;
  const added = await appendMessage(tx, {
    name: actor.id,
    tenant: actor.tenant ?? null,
    ...message,
    parts: message.parts ?? plainMessage,
    author: 'person',
    ...(once === undefined ? {} : { once }),
  });
  if (added === null && once !== undefined) throw new AlreadyHandled(once);
  return added;
}

type Tone = InteractionPolicy['tone'];

export function callOfPlan(
  plan: Pick<Plan, 'status' | 'id'>,
  tone: Tone = 'neutral',
): CallToAction {
  return plan.status === 'needs_review'
    ? { kind: 'review', plan_id: plan.id }
    : { kind: 'plan', tone };
}

/** With a plan's card. @param notes what to know before deciding */
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

/** With advice, or null. */
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

/** Delivery later reads the current state. @param later never ahead of a reply to a person */
export async function askToDeliver(
  { enqueue }: { enqueue: Enqueue<Transaction> },
  tx: Transaction,
  conversation: string,
  later = false,
): Promise<void> {
  if (await askForDelivery(tx, conversation)) await sendDelivery(enqueue, tx, conversation, later);
}

/** Urgent jobs have their own key, so that they aren't merged into a waiting one. */
export async function sendDelivery(
  enqueue: Enqueue<Transaction>,
  tx: Transaction,
  conversation: string,
  later: boolean,
): Promise<void> {
  const options = later ? { key: conversation } : { key: `${conversation}@soon`, urgent: true };
  await enqueue(tx, 'deliver', { conversation }, options);
}
