// Shows what planners do in the conversations of chat platforms, as soon as they say it. A notification asks for it, not a job: a
// status that is missed is followed by another, and delivery shows the last one at the end of each visit.
import { enterQuietPlace, leaveQuietPlace, type PlaceLease } from '#db/chat/places.ts';
import type { Listener } from '#db/notify.ts';
import type { DeliveryContext } from './delivery-context.ts';
import { updateStatus } from './update-card.ts';
import { workOnPlace } from './work-on-place.ts';

/** Seconds for which a place is held for a status; its holder may die. */
const leaseSeconds = 5;
/** Places that are shown a status at once in one process. */
const placesAtOnce = 8;

/** Shows what is being planned in a conversation, unless somebody delivers there, who shows it at the end. */
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

/** Shows what planners do in conversations of the platforms that this process writes to, as they say it. */
export function followActivity(
  context: DeliveryContext,
  listener: Listener,
): { close(): Promise<void> } {
  const { ports, warn } = context;
  const served = Object.keys(ports).filter((platform) => ports[platform]?.status !== undefined);
  const stopping = new AbortController();
  /** Conversations that wait for their turn; each once. */
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
