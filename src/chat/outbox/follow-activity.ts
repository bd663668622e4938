// Shows planners' activity in chat conversations at once, on a notification rather than a job: a missed status is soon followed
// by another, and each delivery ends with the latest.
import { enterQuietPlace, leaveQuietPlace, type PlaceLease } from '#db/chat/places.ts';
import type { Listener } from '#db/notify.ts';
import type { DeliveryContext } from './delivery-context.ts';
import { updateStatus } from './update-card.ts';
import { workOnPlace } from './work-on-place.ts';

/** Seconds for which a place is held for a status, in case the holder dies. */
const leaseSeconds = 5;
/** Places updated at once per process. */
const placesAtOnce = 8;

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
        warn(`The status of ${conversation} is not shown.`, error),
      );
    }
  }

  const off = listener.on('activity', (topic) => {
    const conversation = topic.slice('activity:'.length);
    if (!served.some((platform) => conversation.startsWith(`${platform}-`))) return;
    waiting.add(conversation);
    if (working.size >= placesAtOnce) return;
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
