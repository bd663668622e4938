// Finds messages already posted by an earlier attempt, by key.
import type { webApi } from '@slack/bolt';
import { z } from 'zod';
import type { ChatPlace, ChatPost } from '#domain/chat/chat.ts';

const eventType = 'countersign_message';

/** Carries the key invisibly. */
export const metadataOf = (key: string) => ({ event_type: eventType, event_payload: { key } });

const Keyed = z.object({
  metadata: z.object({
    event_type: z.literal(eventType),
    event_payload: z.object({ key: z.string() }),
  }),
});

/** For lost responses; attempts are at most hours apart. */
const lookBackMs = 6 * 3_600_000;
/** Tolerated difference between Slack's clock and ours. */
const maxSkewMs = 120_000;
const messageLimit = 200;
/** Per search; Slack chooses their size. */
const maxPages = 20;

const secondsOf = (ms: number) => String(ms / 1000);

/** Channels newest first, threads oldest first. */
async function* readSince(
  client: webApi.WebClient,
  { channel, thread }: Pick<ChatPlace, 'channel' | 'thread'>,
  oldest: string,
) {
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page++) {
    const common = { channel, oldest, limit: messageLimit, include_all_metadata: true };
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

export function keyOf(message: unknown): string | null {
  const parsed = Keyed.safeParse(message);
  return parsed.success ? parsed.data.metadata.event_payload.key : null;
}

/** @param since first attempt, or null */
export async function findPosted(
  client: webApi.WebClient,
  place: Pick<ChatPlace, 'channel' | 'thread'>,
  { key, since, now }: { key: string; since: Date | null; now: Date },
): Promise<string | null> {
  const farthest = now.getTime() - lookBackMs;
  const oldest = Math.max(farthest, since === null ? farthest : since.getTime() - maxSkewMs);
  for await (const message of readSince(client, place, secondsOf(oldest))) {
    if (keyOf(message) === key && message.ts !== undefined) return message.ts;
  }
  return null;
}

/** Already there: file names and message keys. */
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
