// Delivery's recovery round: finds places whose holder died or whose job was lost.
import { findWaitingPlaces } from '#db/chat-places.ts';
import { Platform } from '#domain/chat/inbox.ts';
import type { DeliveryContext } from './delivery-context.ts';

const placesAtOnce = 200;

/** A function for the watch round. Where a round ends the next one goes on, so that many waiting places hide none. */
export function createDeliveryWatch({ db, enqueue, ports }: DeliveryContext): () => Promise<void> {
  const last = new Map<Platform, string>();

  async function lookAfter(platform: Platform): Promise<void> {
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
    for (const platform of Platform.options) {
      if (ports[platform] !== undefined) await lookAfter(platform);
    }
  };
}
