// Finds or creates the conversation that belongs to a thread of a chat platform.
import { conversationAt, storePlace } from '#db/chat-places.ts';
import type { Transaction } from '#db/database.ts';
import type { ChatPlace } from '#domain/chat/chat.ts';
import type { DeliveryContext } from './delivery-context.ts';

export { conversationAt };

/**
 * The same place gives the same conversation. That an event came from it says that it may be mended, so what could not be
 * posted there is tried again.
 * @param timezone of the one who reads there, in a direct message; null: nobody knows, or several read
 */
export async function openConversation(
  { enqueue }: Pick<DeliveryContext, 'enqueue'>,
  tx: Transaction,
  place: ChatPlace,
  timezone: string | null = null,
): Promise<string> {
  const conversation = conversationAt(place);
  if (await storePlace(tx, place, timezone)) {
    await enqueue(tx, 'deliver', { conversation }, { key: conversation });
  }
  return conversation;
}
