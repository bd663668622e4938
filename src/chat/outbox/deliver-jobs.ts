// Jobs that bring places up to date, besides messages.
import {
  enterQuietPlace,
  findWaitingPlaces,
  leaveQuietPlace,
  type PlaceLease,
  storePlace,
} from '#db/chat/places.ts';
import { askForCards } from '#db/chat/posts.ts';
import type { Transaction } from '#db/database.ts';
import type { Listener } from '#db/notify.ts';
import { lockPlan } from '#db/plans/plans.ts';
import { type ChatPlace, conversationAt } from '#domain/chat/chat.ts';
import type { PlatformName } from '#domain/platform-name.ts';
import { sendDelivery } from '#messages/store-message.ts';
import type { DeliveryContext } from './delivery-context.ts';
import { updateStatus } from './update-card.ts';
import { workOnPlace } from './work-on-place.ts';

/** Retries failed posts: an event from there may have repaired the place. @param timezone of its only reader */
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

/** @param how.later low priority */
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
    // A change being committed may rely on this job.
    if (progress) await lockPlan(tx, planId);
    for (const conversation of (await askForCards(tx, planId, progress)).sort()) {
      await sendDelivery(enqueue, tx, conversation, later);
    }
  });
}

const placesAtOnce = 200;

/** Each round continues where the last ended. */
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

/** If the holder dies. */
const leaseSeconds = 5;
/** Per process. */
const shownAtOnce = 8;

/** Left to a delivery in progress. */
async function showActivity(
  context: DeliveryContext,
  conversation: string,
  stopping: AbortSignal,
): Promise<void> {
  const { db, ports, random } = context;
  const lease: PlaceLease = { conversation, holder: random.hex(16) };
  const held = await enterQuietPlace(db.query, lease, leaseSeconds);
  if (held === null) return;
  const port = ports[held.place.platform];
  const status =
    port === undefined ? held.status : await updateStatus(context, { ...held, port, lease });
  if (await leaveQuietPlace(db.query, lease, status))
    await workOnPlace(context, conversation, stopping);
}

export function followActivity(
  context: DeliveryContext,
  listener: Listener,
): { close(): Promise<void> } {
  const { ports, warn } = context;
  const served = Object.keys(ports).filter((platform) => ports[platform]?.status !== undefined);
  const stopping = new AbortController();
  /** Conversations. */
  const waiting = new Set<string>();
  const working = new Set<Promise<void>>();

  async function work(): Promise<void> {
    for (const conversation of waiting) {
      if (stopping.signal.aborted) return;
      waiting.delete(conversation);
      await showActivity(context, conversation, stopping.signal).catch((error: unknown) =>
        warn(`Could not show the status of ${conversation}.`, error),
      );
    }
  }

  const off = listener.on('activity', (topic) => {
    const conversation = topic.slice('activity:'.length);
    if (!served.some((platform) => conversation.startsWith(`${platform}-`))) return;
    waiting.add(conversation);
    if (working.size >= shownAtOnce) return;
    const going: Promise<void> = work().finally(() => working.delete(going));
    working.add(going);
  });
  return {
    async close() {
      off();
      stopping.abort();
      await Promise.all(working);
    },
  };
}
