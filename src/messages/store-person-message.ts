// Stores messages from people. One with an ID, as from a chat platform, is stored once.
import { appendMessage } from '#db/chat/messages.ts';
import type { Transaction } from '#db/database.ts';
import { type MessageParts, plainMessage } from '#domain/chat/message-parts.ts';
import type { Actor } from '#domain/people/actor.ts';

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
