// Stores messages of the bot. Everything it says goes through here.
import { writeMessage } from '#cards/message-text.ts';
import { appendMessage, type NewMessage } from '#db/chat/messages.ts';
import type { Transaction } from '#db/database.ts';
import { type MessageParts, textParts } from '#domain/chat/message-parts.ts';
import type { Enqueue } from '#domain/jobs.ts';
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
