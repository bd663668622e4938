// Brings places up to date, other than by messages (`#messages/speak.ts`): jobs when a place opens, a plan changes or recovery finds a
// dead holder, and notifications of a planner's activity, of which a missed one is soon followed by another.
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
import { sendDelivery } from '#messages/speak.ts';
import type { DeliveryContext } from './delivery-context.ts';
import { updateStatus } from './update-card.ts';
import { workOnPlace } from './work-on-place.ts';

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

/** Seconds for which a place is held for a status, in case the holder dies. */
const leaseSeconds = 5;
/** Places updated at once per process. */
const shownAtOnce = 8;

/** Shows a conversation's activity, unless a delivery is in progress, which will show it at the end. */
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

/** Shows planners' activity on the platforms that this process writes to. */
export function followActivity(
  context: DeliveryContext,
  listener: Listener,
): { close(): Promise<void> } {
  const { ports, warn } = context;
  const served = Object.keys(ports).filter((platform) => ports[platform]?.status !== undefined);
  const stopping = new AbortController();
  /** Conversations waiting their turn, each once. */
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
