// What sends deliver jobs, besides a message that is said (`#messages/ask-to-deliver.ts`): a place that opens, a plan that changes,
// and the recovery round, which finds places whose holder died or whose job was lost.
import { findWaitingPlaces, storePlace } from '#db/chat/places.ts';
import { askForCards } from '#db/chat/posts.ts';
import type { Transaction } from '#db/database.ts';
import { type ChatPlace, conversationAt } from '#domain/chat/chat.ts';
import type { PlatformName } from '#domain/platform-name.ts';
import { sendDelivery } from '#messages/ask-to-deliver.ts';
import type { DeliveryContext } from './delivery-context.ts';

/**
 * Finds or creates the conversation of a place; the same place gives the same conversation. That an event came from it says that
 * it may be mended, so what could not be posted there is tried again.
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

/**
 * Redraws every live card of the plan.
 * @param how.later no press waits for it
 * @param how.progress only steps have moved
 */
export async function followPlan(
  { db, enqueue }: Pick<DeliveryContext, 'db' | 'enqueue'>,
  planId: string,
  {
    later = false,
    progress = false,
  }: {
    later?: boolean | undefined;
    progress?: boolean | undefined;
  } = {},
): Promise<void> {
  await db.transaction(async (tx) => {
    for (const conversation of (await askForCards(tx, planId, progress)).sort()) {
      await sendDelivery(enqueue, tx, conversation, later);
    }
  });
}

const placesAtOnce = 200;

/** A function for the recovery round. Where a round ends the next one goes on, so that many waiting places hide none. */
export function createDeliveryRound({ db, enqueue, ports }: DeliveryContext): () => Promise<void> {
  const last = new Map<PlatformName, string>();

  async function lookAfter(platform: PlatformName): Promise<void> {
    const found = await findWaitingPlaces(
      db.query,
      platform,
      last.get(platform) ?? '',
      placesAtOnce,
    );
    if (found.length > 0) {
      await db.transaction(async (tx) => {
        for (const conversation of found) {
          await enqueue(tx, 'deliver', { conversation }, { key: conversation });
        }
      });
    }
    last.set(platform, found.length < placesAtOnce ? '' : (found.at(-1) ?? ''));
  }

  return async () => {
    for (const platform of Object.keys(ports)) await lookAfter(platform);
  };
}
