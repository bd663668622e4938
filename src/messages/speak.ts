// Stores messages. Everything the bot says goes through here; a message from a person that has an ID, as in chats, is stored once.
import { writeMessage } from '#cards/message-text.ts';
import { appendMessage, type NewMessage } from '#db/chat/messages.ts';
import type { Transaction } from '#db/database.ts';
import { type MessageParts, plainMessage, textParts } from '#domain/chat/message-parts.ts';
import type { Enqueue } from '#domain/jobs.ts';
import type { Actor } from '#domain/people/actor.ts';
import { askToDeliver } from './outgoing.ts';

const botName = 'Countersign';

/**
 * Stores a message, as data or plain text, in the caller's transaction, and queues its delivery.
 * @param later low priority
 * @returns its ID, or null if its `once` key exists
 */
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

/** The message was already handled. Thrown before anything changes. */
export class AlreadyHandled extends Error {
  constructor(once: string) {
    super(`${once} was handled before.`);
    this.name = 'AlreadyHandled';
  }
}

/**
 * @param actor the speaker
 * @returns the message's ID
 * @throws AlreadyHandled, and `not_found` if the conversation belongs to another organisation; roll the transaction back
 */
export async function storePersonMessage(
  tx: Transaction,
  input: {
    conversation: string;
    actor: Pick<Actor, 'id' | 'tenant'>;
    /** Display name; default: the ID. */
    name?: string;
    text: string;
    runId: string | null;
    parts?: MessageParts;
    /** The message's external ID, if any. */
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
