// Writes to Slack: posts, changes and whispers what `cards/` drew. Nothing in a text pings anybody, and a message whose answer
// was lost is found by its key before it would be posted again.
import type { types, webApi } from '@slack/bolt';
import { z } from 'zod';
import type { ChatContent, ChatPlace, ChatPort, ChatPost } from '#contracts/chat.ts';
import type { Clock } from '#contracts/clock.ts';
import type { CountersignError } from '#contracts/errors.ts';
import type { ClientOf } from '../workspaces.ts';
import { explainSlackError } from './explain-error.ts';

/** Blocks, bare or as the message that `cards/` draws; null: text only. */
const Card = z.union([
  z.array(z.looseObject({ type: z.string() })),
  z
    .looseObject({ blocks: z.array(z.looseObject({ type: z.string() })) })
    .transform(({ blocks }) => blocks),
  z.null().transform(() => []),
]);

const eventType = 'countersign_message';
/** How far back a message may lie whose answer was lost, in seconds; tries are hours apart at most. */
const lookBackSeconds = 6 * 3600;
const lookedAt = 200;

const Found = z.object({
  ts: z.string(),
  metadata: z.object({ event_payload: z.object({ key: z.string() }) }),
});

/** Text that pings nobody. What `cards/` wrote is escaped already; of that this changes nothing. */
function calm(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function contentOf({ text, card }: ChatContent) {
  // Blocks of `cards/` are Slack's by construction; its own servers have the last word on them.
  const blocks = Card.parse(card ?? null) as types.KnownBlock[];
  return { text: calm(text), blocks };
}

/** What keeps a message from reaching anybody it does not name. */
const quiet = {
  parse: 'none',
  link_names: false,
  unfurl_links: false,
  unfurl_media: false,
} as const;

const threadOf = ({ thread }: ChatPlace) => (thread === null ? {} : { thread_ts: thread });

/** The message of this key in the place; null: it never got there. */
async function findPosted(
  client: webApi.WebClient,
  { channel, thread }: ChatPlace,
  key: string,
  now: Date,
): Promise<string | null> {
  const oldest = String(now.getTime() / 1000 - lookBackSeconds);
  const common = { channel, oldest, limit: lookedAt, include_all_metadata: true };
  const { messages = [] } =
    thread === null
      ? await client.conversations.history(common)
      : await client.conversations.replies({ ...common, ts: thread });
  for (const message of messages) {
    const found = Found.safeParse(message);
    if (found.success && found.data.metadata.event_payload.key === key) return found.data.ts;
  }
  return null;
}

/** Whether the message may stand there although we were not told. */
function mayHaveActed(error: CountersignError): boolean {
  return error.passesAfterMs !== null && error.details.slack === undefined;
}

export function createSlackPort(options: { clientOf: ClientOf; clock: Clock }): ChatPort {
  const { clientOf, clock } = options;
  async function look(place: ChatPlace, key: string): Promise<ChatPost | null> {
    const client = await clientOf(place.tenant);
    const ts = await findPosted(client, place, key, clock.now()).catch((error: unknown) => {
      throw explainSlackError(error, 'say what was posted');
    });
    return ts === null ? null : { ...place, message: ts };
  }

  return {
    async post(place, content, key) {
      // Another process may have tried before: only Slack knows.
      const before = await look(place, key);
      if (before !== null) return before;
      const client = await clientOf(place.tenant);
      const { text, blocks } = contentOf(content);
      try {
        const { ts } = await client.chat.postMessage({
          channel: place.channel,
          ...threadOf(place),
          text,
          blocks,
          ...quiet,
          metadata: { event_type: eventType, event_payload: { key } },
        });
        if (ts === undefined) throw new Error('Slack named no message.');
        return { ...place, message: ts };
      } catch (cause) {
        const error = explainSlackError(cause, 'post a message');
        if (!mayHaveActed(error)) throw error;
        const found = await look(place, key).catch(() => null);
        if (found !== null) return found;
        throw error;
      }
    },

    async update(post, content) {
      const client = await clientOf(post.tenant);
      const { text, blocks } = contentOf(content);
      try {
        await client.chat.update({
          channel: post.channel,
          ts: post.message,
          text,
          blocks,
          parse: 'none',
          link_names: false,
        });
      } catch (error) {
        throw explainSlackError(error, 'change a message');
      }
    },

    async whisper(place, user, content) {
      const client = await clientOf(place.tenant);
      const { text, blocks } = contentOf(content);
      try {
        await client.chat.postEphemeral({
          channel: place.channel,
          ...threadOf(place),
          user,
          text,
          blocks,
          parse: 'none',
          link_names: false,
        });
      } catch (error) {
        throw explainSlackError(error, 'tell somebody');
      }
    },
  };
}
