// Queues delivery for a conversation that lives on a chat platform.
import { askForDelivery } from '#db/chat/places.ts';
import type { Transaction } from '#db/database.ts';
import type { Enqueue } from '#domain/jobs.ts';

/**
 * In the caller's transaction; after it, delivery reads what is true then.
 * @param later nobody waits for it: it never goes ahead of the answer to a person
 */
export async function askToDeliver(
  { enqueue }: { enqueue: Enqueue<Transaction> },
  tx: Transaction,
  conversation: string,
  later = false,
): Promise<void> {
  if (await askForDelivery(tx, conversation)) await sendDelivery(enqueue, tx, conversation, later);
}

/** Sends the job alone. What is urgent has a key of its own, so that it is not lost to a job that waits behind others. */
export async function sendDelivery(
  enqueue: Enqueue<Transaction>,
  tx: Transaction,
  conversation: string,
  later: boolean,
): Promise<void> {
  const options = later ? { key: conversation } : { key: `${conversation}@soon`, urgent: true };
  await enqueue(tx, 'deliver', { conversation }, options);
}
