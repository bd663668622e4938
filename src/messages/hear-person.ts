// Stores messages of people. A message with an id of its own, such as one from a chat platform, is stored once.
import { appendMessage } from '#db/chat/messages.ts';
import type { Transaction } from '#db/database.ts';
import { heardParts, type MessageParts } from '#domain/chat/message-parts.ts';
import type { Actor } from '#domain/people/actor.ts';

/** The message was heard before, with all that it meant. Nothing was changed when it is thrown. */
export class SaidBefore extends Error {
  constructor(once: string) {
    super(`${once} was heard before.`);
    this.name = 'SaidBefore';
  }
}

/**
 * @param actor who says it
 * @returns the message's id
 * @throws SaidBefore, and `not_found` where another organisation spoke first; let that roll the transaction back
 */
export async function hearPerson(
  tx: Transaction,
  said: {
    conversation: string;
    actor: Pick<Actor, 'id' | 'tenant'>;
    /** What they are called there; left out: by their id. */
    name?: string;
    text: string;
    runId: string | null;
    parts?: MessageParts;
    /** The message's name where it came from; undefined: it has none. */
    once?: string | undefined;
  },
): Promise<number | null> {
  const { once, actor, ...message } = said;
  const added = await appendMessage(tx, {
    name: actor.id,
    tenant: actor.tenant ?? null,
    ...message,
    parts: message.parts ?? heardParts,
    author: 'person',
    ...(once === undefined ? {} : { once }),
  });
  if (added === null && once !== undefined) throw new SaidBefore(once);
  return added;
}
