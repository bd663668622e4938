// Shows planning by typing, and streams in personal chats.
// https://learn.microsoft.com/microsoftteams/platform/bots/streaming-ux
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { stillPlanning, writeActivity } from '#cards/activity-words.ts';
import type { ChatPlace, ShownStatus, StatusPort } from '#domain/chat/chat.ts';
import type { TeamsConversation } from '#domain/chat/teams-conversation.ts';
import { CountersignError } from '#domain/errors.ts';
import { createRecent } from '#domain/recent.ts';
import { cutText } from '#domain/shown-text.ts';
import type { JsonObject } from '#domain/text.ts';
import { type Calls, streamRefused } from '../connector/connector.ts';
import { conversationIdOf } from '../signals/read-activity.ts';

/** Teams shows typing this long. */
const typingMs = 3000;
/** Minimum between calls of a stream. */
const paceMs = 1000;
/** Before Teams ends it, after two minutes. */
const streamForMs = 100_000;
const maxStreamMs = 115_000;
const maxKept = 1000;
/** Characters. */
const maxUpdate = 1000;

const Stream = z.object({
  id: z.string(),
  sequence: z.int(),
  text: z.string(),
  began_at: z.number(),
  /** Key of the ending message; null while open. */
  ends_as: z.string().nullable(),
});
type Stream = z.infer<typeof Stream>;

/** `beside`: no further stream until the answer. */
const Kept = z.object({ said_at: z.number(), beside: z.boolean(), stream: Stream.nullable() });
type Kept = z.infer<typeof Kept>;

const readKept = (shown: ShownStatus | null): Kept | null =>
  Kept.safeParse(shown?.own).data ?? null;

function isRefusedStream(error: unknown): boolean {
  return error instanceof CountersignError && error.details?.teams === streamRefused;
}

/** Ended by the message with `key`; null if none. */
export function streamToEnd(shown: ShownStatus | null, key: string): Stream | null {
  const stream = readKept(shown)?.stream ?? null;
  return stream !== null && stream.ends_as === key ? stream : null;
}

type Find = (place: ChatPlace) => Promise<TeamsConversation>;

export function createPlanningStatus(connector: Calls, find: Find): StatusPort {
  const sentence = (text: string, bot: string) => ({
    ...{ type: 'message', from: { id: bot } },
    ...{ text, textFormat: 'plain' },
  });

  async function end(
    where: TeamsConversation,
    at: { conversation: string; message: string },
    { began_at }: Stream,
    text: string,
    givenUp: AbortSignal,
  ): Promise<void> {
    const activity = sentence(text, where.bot);
    if (Date.now() - began_at < maxStreamMs)
      return connector.endStream(where, at, activity, givenUp);
    await connector.update(where, at, { ...activity, id: at.message }, givenUp);
  }

  /** Times of typing by conversation. */
  const typed = createRecent<number>({ keep: maxKept });

  /** @returns when shown, since it lasts */
  async function type(
    where: TeamsConversation,
    place: ChatPlace,
    now: number,
    givenUp?: AbortSignal,
  ): Promise<number> {
    const conversation = conversationIdOf(place);
    const before = typed.get(conversation) ?? 0;
    if (now - before < paceMs) return before;
    typed.set(conversation, now);
    await connector.post(where, conversation, { type: 'typing', from: { id: where.bot } }, givenUp);
    return now;
  }

  return {
    fadesAfterMs: typingMs,

    async showFirst(place, _, sent) {
      const typing = type(await find(place), place, Date.now());
      sent();
      await typing;
    },

    async show(place, { activity }, before, givenUp): Promise<JsonObject> {
      const kept = readKept(before);
      const now = Date.now();
      const text = cutText(writeActivity(activity), maxUpdate);
      const open = kept?.stream?.ends_as === null ? kept.stream : null;
      // The stream was handed over; the next turn begins another.
      const isFirst = kept === null || (kept.stream !== null && open === null);
      if (!isFirst && now - kept.said_at < paceMs) return kept;
      const where = await find(place);
      const conversation = conversationIdOf(place);
      const separate = where.kind !== 'personal' || (!isFirst && kept.beside);
      if (open === null && (isFirst || separate)) {
        if (!isFirst && now - kept.said_at < typingMs) return kept;
        const typedAt = await type(where, place, now, givenUp);
        return { said_at: typedAt, beside: separate, stream: null };
      }
      try {
        if (open !== null && now - open.began_at >= streamForMs) {
          const at = { conversation, message: open.id };
          await end(where, at, open, stillPlanning, givenUp);
          return { said_at: now, beside: true, stream: null };
        }
        if (open?.text === text)
          return { ...kept, said_at: kept?.said_at ?? now, beside: separate, stream: open };
        const sequence = (open?.sequence ?? 0) + 1;
        const update = { id: open?.id ?? null, sequence, bot: where.bot, text };
        const id = await connector.stream(where, conversation, update, givenUp);
        const stream = { id, sequence, text, began_at: open?.began_at ?? now, ends_as: null };
        return { said_at: now, beside: false, stream };
      } catch (error) {
        // Unsupported, or stopped by its reader: typing is enough.
        if (isRefusedStream(error)) return { said_at: now, beside: true, stream: null };
        throw error;
      }
    },

    handOver(shown, key) {
      const kept = readKept(shown);
      const stream = kept?.stream ?? null;
      if (kept === null || stream === null) return null;
      if (stream.ends_as !== null && stream.ends_as !== key) return null;
      return { ...kept, stream: { ...stream, ends_as: key } };
    },

    // Without an answer the stream is removed.
    async clear(place, shown, givenUp) {
      const stream = readKept(shown)?.stream ?? null;
      if (stream === null || stream.ends_as !== null) return;
      const where = await find(place);
      const at = { conversation: conversationIdOf(place), message: stream.id };
      try {
        await end(where, at, stream, stillPlanning, givenUp);
      } catch (error) {
        if (!isRefusedStream(error)) throw error;
      }
      await connector.remove(where, at, givenUp);
    },
  };
}

/** @param tried an earlier attempt may have succeeded @returns false to post separately */
export async function postAsEnd(
  connector: Calls,
  where: TeamsConversation,
  place: ChatPlace,
  {
    activity,
    words,
    shown,
    stream,
    tried,
    givenUp,
  }: {
    activity: object;
    /** For a stream without a card. */
    words: string;
    shown: ShownStatus;
    stream: Stream;
    tried: boolean;
    givenUp: AbortSignal | undefined;
  },
): Promise<boolean> {
  const at = { conversation: conversationIdOf(place), message: stream.id };
  const change = () => connector.update(where, at, { ...activity, id: stream.id }, givenUp);
  const since = Date.now() - (readKept(shown)?.said_at ?? 0);
  if (since < paceMs)
    await wait(
      Math.min(paceMs, paceMs - since),
      undefined,
      givenUp === undefined ? {} : { signal: givenUp },
    );
  try {
    if (Date.now() - stream.began_at >= maxStreamMs) {
      await change();
      return true;
    }
    await connector.endStream(where, at, { text: '', ...activity }, givenUp);
    return true;
  } catch (error) {
    if (!(error instanceof CountersignError)) throw error;
    const isRefused = isRefusedStream(error);
    if (error.code === 'not_found') return false;
    if (!isRefused && error.details?.status !== 400) throw error;
    // Already ended, by this message or otherwise.
    if (isRefused && tried) return unlessGone(change);
    if (!isRefused) await closeBare(connector, where, at, words, givenUp);
    return false;
  }
}

async function unlessGone(change: () => Promise<void>): Promise<boolean> {
  try {
    await change();
    return true;
  } catch (error) {
    if (error instanceof CountersignError && error.code === 'not_found') return false;
    throw error;
  }
}

async function closeBare(
  connector: Calls,
  where: TeamsConversation,
  at: { conversation: string; message: string },
  text: string,
  givenUp: AbortSignal | undefined,
): Promise<void> {
  const bare = { type: 'message', from: { id: where.bot }, text, textFormat: 'plain' };
  // Otherwise Teams ends it after two minutes.
  await connector.endStream(where, at, bare, givenUp).catch(() => {});
}
