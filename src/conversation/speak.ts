// The bot's own voice: everything it says in a conversation is said here, under one name.
import type { Enqueue } from '#contracts/jobs.ts';
import type { Transaction } from '#store/database.ts';
import { appendMessage, type NewMessage } from '#store/messages.ts';
import { askToDeliver } from './delivery/ask-to-deliver.ts';

const botName = 'Countersign';

/**
 * Says something in the caller's transaction, and has it posted where the conversation lives on a chat platform.
 * @returns its id; null: its `once` key stands already
 */
export async function speakAsBot(
  context: { enqueue: Enqueue<Transaction> },
  tx: Transaction,
  message: Omit<NewMessage, 'author' | 'name'>,
): Promise<number | null> {
  const said = await appendMessage(tx, { ...message, author: 'bot', name: botName });
  if (said !== null) await askToDeliver(context, tx, message.conversation);
  return said;
}
