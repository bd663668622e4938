// Something is to be shown, or shown otherwise, in a conversation: where it lives on a chat platform, somebody goes there.
import type { Enqueue } from '#contracts/jobs.ts';
import { askForDelivery } from '#store/chat-places.ts';
import type { Transaction } from '#store/database.ts';

/** In the caller's transaction; after it, delivery reads what is true then. */
export async function askToDeliver(
  { enqueue }: { enqueue: Enqueue<Transaction> },
  tx: Transaction,
  conversation: string,
): Promise<void> {
  if (await askForDelivery(tx, conversation)) {
    await enqueue(tx, 'deliver', { conversation }, { key: conversation });
  }
}
