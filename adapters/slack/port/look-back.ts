// What stands in a place already: messages that an earlier try posted without living to say so, by the keys they carry.
import type { webApi } from '@slack/bolt';
import { z } from 'zod';
import type { ChatPlace, ChatPost } from '#domain/chat/chat.ts';

const eventType = 'countersign_message';

/** Carries the key of a message; nobody sees it. */
export const metadataOf = (key: string) => ({ event_type: eventType, event_payload: { key } });

const Keyed = z.object({
  metadata: z.object({
    event_type: z.literal(eventType),
    event_payload: z.object({ key: z.string() }),
  }),
});

/** How far back a message may lie whose answer was lost, in milliseconds; tries are hours apart at most. */
const lookBackMs = 6 * 3_600_000;
/** How far Slack's clock and ours may be apart. */
const clocksApartMs = 120_000;
const lookedAt = 200;
/** Pages of one look; Slack makes them smaller as it likes. */
const maxPages = 20;

const secondsOf = (ms: number) => String(ms / 1000);

/** What was written in the place since then: of a channel the newest first, of a thread the oldest. */
async function* readSince(
  client: webApi.WebClient,
  { channel, thread }: Pick<ChatPlace, 'channel' | 'thread'>,
  oldest: string,
) {
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const common = { channel, oldest, limit: lookedAt, include_all_metadata: true };
    const asked = cursor === undefined ? common : { ...common, cursor };
    const { messages = [], response_metadata } =
      thread === null
        ? await client.conversations.history(asked)
        : await client.conversations.replies({ ...asked, ts: thread });
    yield* messages;
    cursor = response_metadata?.next_cursor || undefined;
    if (cursor === undefined) return;
  }
}

function keyOf(message: unknown): string | null {
  const parsed = Keyed.safeParse(message);
  return parsed.success ? parsed.data.metadata.event_payload.key : null;
}

/**
 * The message of this key in the place; null: it never got there.
 * @param since when it was tried first; null: nobody knows
 */
export async function findPosted(
  client: webApi.WebClient,
  place: Pick<ChatPlace, 'channel' | 'thread'>,
  { key, since, now }: { key: string; since: Date | null; now: Date },
): Promise<string | null> {
  const farthest = now.getTime() - lookBackMs;
  const oldest = Math.max(farthest, since === null ? farthest : since.getTime() - clocksApartMs);
  for await (const message of readSince(client, place, secondsOf(oldest))) {
    if (keyOf(message) === key && message.ts !== undefined) return message.ts;
  }
  return null;
}

/** What stands under a message: the names of files, and the keys of messages. */
export type Under = { names: ReadonlySet<string>; keys: ReadonlySet<string> };

export const nothingUnder: Under = { names: new Set(), keys: new Set() };

export async function readUnder(
  client: webApi.WebClient,
  { channel, thread, message }: Pick<ChatPost, 'channel' | 'thread' | 'message'>,
): Promise<Under> {
  const names = new Set<string>();
  const keys = new Set<string>();
  for await (const one of readSince(client, { channel, thread: thread ?? message }, message)) {
    for (const { name } of one.files ?? []) if (typeof name === 'string') names.add(name);
    const key = keyOf(one);
    if (key !== null) keys.add(key);
  }
  return { names, keys };
}
