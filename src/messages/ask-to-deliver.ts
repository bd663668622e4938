// Queues delivery for a conversation on a chat platform.
import { askForDelivery } from '#db/chat/places.ts';
import type { Transaction } from '#db/database.ts';
import type { Enqueue } from '#domain/jobs.ts';

/**
 * In the caller's transaction; delivery later reads the current state.
 * @param later low priority: never ahead of a reply to a person
 */
export async function askToDeliver(
  { enqueue }: { enqueue: Enqueue<Transaction> },
  tx: Transaction,
  conversation: string,
  later = false,
): Promise<void> {
  if (await askForDelivery(tx, conversation)) await sendDelivery(enqueue, tx, conversation, later);
}

/** Sends only the job. Urgent ones have their own key, so that they aren't merged into a waiting one. */
export async function sendDelivery(
  enqueue: Enqueue<Transaction>,
  tx: Transaction,
  conversation: string,
  later: boolean,
): Promise<void> {
  const options = later ? { key: conversation } : { key: `${conversation}@soon`, urgent: true };
  await enqueue(tx, 'deliver', { conversation }, options);
}
