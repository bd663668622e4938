// Delivery's recovery round: finds places whose holder died or whose job was lost, and forgets places that have long been idle.
import { findWaitingPlaces } from '#db/chat-places.ts';
import { forgetRestingPosts } from '#db/chat-posts.ts';
import { Platform } from '#domain/chat/inbox.ts';
import type { DeliveryContext } from './delivery-context.ts';

const placesAtOnce = 200;
/** Nobody presses a card that ended so long ago, and doctor speaks of failures for a week. */
const keptForDays = 30;
const forgottenAtOnce = 500;
const looksARound = 5;

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

/** Forgets posts that nothing follows from any more; in small deletes, as many as keep up with what is posted. */
export async function forgetPosts({ db }: Pick<DeliveryContext, 'db'>): Promise<void> {
  for (let look = 0; look < looksARound; look++) {
    const gone = await forgetRestingPosts(db.query, keptForDays, forgottenAtOnce);
    if (gone < forgottenAtOnce) return;
  }
}
