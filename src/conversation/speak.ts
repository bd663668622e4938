// The bot's own voice: everything it says in a conversation is said here, under one name.
import type { Transaction } from '#store/database.ts';
import { appendMessage, type NewMessage } from '#store/messages.ts';

const botName = 'Countersign';

/** Says something in the caller's transaction. @returns whether it was said now (false: its `once` key stands already) */
export function speakAsBot(
  tx: Transaction,
  message: Omit<NewMessage, 'author' | 'name'>,
): Promise<boolean> {
  return appendMessage(tx, { ...message, author: 'bot', name: botName });
}
