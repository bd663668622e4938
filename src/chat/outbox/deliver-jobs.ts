// Sends deliver jobs, other than for messages (`#messages/outgoing.ts`): a place opens, a plan changes, or recovery finds a
// dead holder or lost job.
import { findWaitingPlaces, storePlace } from '#db/chat/places.ts';
import { askForCards } from '#db/chat/posts.ts';
import type { Transaction } from '#db/database.ts';
import { lockPlan } from '#db/plans/plans.ts';
import { type ChatPlace, conversationAt } from '#domain/chat/chat.ts';
import type { PlatformName } from '#domain/platform-name.ts';
import { sendDelivery } from '#messages/outgoing.ts';
import type { DeliveryContext } from './delivery-context.ts';

/**
 * Finds or creates a place's conversation. An event from there may repair a broken place, so failed posts are retried.
 * @param timezone of a direct message's reader, or null if unknown or several read
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
 * @param how.later low priority
 * @param how.progress only steps have changed
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
    // Waits for a change being committed, which may have relied on this very job. Other news has waited in `announce`.
    if (progress) await lockPlan(tx, planId);
    for (const conversation of (await askForCards(tx, planId, progress)).sort()) {
      await sendDelivery(enqueue, tx, conversation, later);
    }
  });
}

const placesAtOnce = 200;

/** For the recovery round. Each round continues where the last ended, so that all places are reached. */
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
