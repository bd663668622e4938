// Writes to Slack: posts, changes and whispers what `cards/` drew. Nothing in a text pings anybody, and a message whose answer
// was lost is found by its key before it would be posted again.
import type { types, webApi } from '@slack/bolt';
import { z } from 'zod';
import type { ChatContent, ChatFile, ChatPlace, ChatPort, ChatPost } from '#contracts/chat.ts';
import type { Clock } from '#contracts/clock.ts';
import { CountersignError } from '#contracts/errors.ts';
import type { ClientOf } from '../workspaces.ts';
import { explainSlackError } from './explain-error.ts';
import { createAsk } from './hold.ts';
import { nameUnder, sendFile } from './send-file.ts';

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

/** What Slack says to blocks it will never take. */
const refusedBlocks = new Set([
  'block_mismatch',
  'invalid_blocks',
  'invalid_blocks_format',
  'msg_blocks_too_long',
  'msg_too_long',
]);

/**
 * Writes the message; where Slack does not take its blocks, its words alone: buttons that stand there must not stay when what
 * they were about is over.
 */
async function writeAtLeastText<T>(
  { text, blocks }: ReturnType<typeof contentOf>,
  write: (content: ReturnType<typeof contentOf>) => Promise<T>,
  warn: (message: string, error?: unknown) => void,
): Promise<T> {
  try {
    return await write({ text, blocks });
  } catch (error) {
    const refused =
      error instanceof CountersignError && refusedBlocks.has(String(error.details.slack));
    if (!refused || blocks.length === 0) throw error;
    warn('Slack did not take a card; its words were written instead.', error);
    return write({ text, blocks: [] });
  }
}

/** Whether the file stands under its message already, put there by a try that did not live to say so. */
async function isAttached(
  client: webApi.WebClient,
  { channel, thread, message }: ChatPost,
  name: string,
): Promise<boolean> {
  const { messages = [] } = await client.conversations.replies({
    channel,
    ts: thread ?? message,
    oldest: message,
    limit: lookedAt,
  });
  return messages.some(({ files = [] }) => files.some((file) => file.name === name));
}

export function createSlackPort(options: {
  clientOf: ClientOf;
  clock: Clock;
  warn(message: string, error?: unknown): void;
}): ChatPort {
  const { clientOf, clock, warn } = options;
  const ask = createAsk(clock);

  async function look(place: ChatPlace, key: string): Promise<ChatPost | null> {
    const client = await clientOf(place.tenant);
    const method = place.thread === null ? 'conversations.history' : 'conversations.replies';
    const call = { team: place.tenant, method, channel: null, deed: 'say what was posted' };
    const ts = await ask(call, () => findPosted(client, place, key, clock.now()));
    return ts === null ? null : { ...place, message: ts };
  }

  /** Posts the message itself, once. */
  async function postOnce(place: ChatPlace, content: ChatContent, key: string) {
    // Another process may have tried before: only Slack knows.
    const before = await look(place, key);
    if (before !== null) return { post: before, again: true };
    const client = await clientOf(place.tenant);
    const { tenant: team, channel } = place;
    try {
      const call = { team, method: 'chat.postMessage', channel, deed: 'post a message' };
      const metadata = { event_type: eventType, event_payload: { key } };
      const write = (said: ReturnType<typeof contentOf>) =>
        ask(call, () =>
          client.chat.postMessage({ channel, ...threadOf(place), ...said, ...quiet, metadata }),
        );
      const { ts } = await writeAtLeastText(contentOf(content), write, warn);
      if (ts === undefined) throw new Error('Slack named no message.');
      return { post: { ...place, message: ts }, again: false };
    } catch (cause) {
      const error = explainSlackError(cause, 'post a message');
      if (!mayHaveActed(error)) throw error;
      const found = await look(place, key).catch(() => null);
      if (found !== null) return { post: found, again: true };
      throw error;
    }
  }

  /** Puts a file under its message. What cannot be attached does not take the message back. */
  async function attach(post: ChatPost, given: ChatFile, key: string, again: boolean) {
    const { tenant: team, channel, thread, message } = post;
    const file = { ...given, name: nameUnder(given.name, key) };
    const call = { team, method: 'files', channel: null, deed: 'take a file' };
    try {
      const client = await clientOf(team);
      await ask(call, async () => {
        if (again && (await isAttached(client, post, file.name))) return;
        await sendFile(client, { channel, thread: thread ?? message }, file, warn);
      });
    } catch (cause) {
      const error = explainSlackError(cause, 'take a file');
      // The message is found by its key; the file is tried again with it.
      if (error.passesAfterMs !== null) throw error;
      warn(`The file of a message could not be sent: ${error.message}`, error);
    }
  }

  return {
    async post(place, content, key) {
      const { post, again } = await postOnce(place, content, key);
      if (content.file !== undefined) await attach(post, content.file, key, again);
      return post;
    },

    async update(post, content) {
      const client = await clientOf(post.tenant);
      const { tenant: team, channel, message: ts } = post;
      const call = { team, method: 'chat.update', channel: null, deed: 'change a message' };
      const write = (said: ReturnType<typeof contentOf>) =>
        ask(call, () =>
          client.chat.update({ channel, ts, ...said, parse: 'none', link_names: false }),
        );
      await writeAtLeastText(contentOf(content), write, warn);
    },

    async whisper(place, user, content) {
      const client = await clientOf(place.tenant);
      const { text, blocks } = contentOf(content);
      const { tenant: team, channel } = place;
      const call = { team, method: 'chat.postEphemeral', channel: null, deed: 'tell somebody' };
      await ask(call, () =>
        client.chat.postEphemeral({
          channel,
          ...threadOf(place),
          user,
          text,
          blocks,
          parse: 'none',
          link_names: false,
        }),
      );
    },
  };
}
