// Reads the first and newest messages above a request.
// Slack lists the oldest first; unlisted apps may read 15 a minute.
// https://docs.slack.dev/reference/methods/conversations.replies
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { threadWords } from '#cards/chat-words.ts';
import type { ChatPlace } from '#domain/chat/chat.ts';
import type { ReadMessages, ThreadMessage } from '#domain/chat/thread.ts';
import type { Clock } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import { createRecent } from '#domain/recent.ts';
import { isSliceOver, mapInSlices, nextTurn } from '#domain/slices.ts';
import { explainSlackError } from '../calls/explain-error.ts';
import type { Ask } from '../calls/hold.ts';
import type { People } from '../people/people.ts';
import { keyOf } from '../port/look-back.ts';
import { isWritten, nameMessage } from '../signals/name-signal.ts';
import { Files, readFiles } from '../signals/shapes.ts';
import type { ClientOf } from '../workspaces.ts';
import { collectText } from './read-blocks.ts';
import { mentionedIn, readPlainText } from './read-text.ts';

const moment = z.string().regex(/^\d{1,12}\.\d{6}$/);
const label = z.string().nullish().catch(null);

/** Without a time, it is no message; all else may be missing. */
const Message = z.object({
  ts: moment,
  subtype: label,
  user: label,
  bot_id: label,
  username: label,
  bot_profile: z.object({ name: label }).nullish().catch(null),
  text: z.string().catch(''),
  blocks: z.unknown().optional(),
  attachments: z.unknown().optional(),
  edited: z.object({ ts: moment }).nullish().catch(null),
  reply_count: z.number().int().min(0).nullish().catch(null),
  files: Files,
});
/** `bot_id`: null for a person. */
type Reply = z.infer<typeof Message> & { bot_id: string | null; own: boolean; written: string };

/** Most threads fit, and calls are limited more. */
const firstPageSize = 400;
const tailPageSize = 200;
/** Slack's limit for apps outside its Marketplace. */
const smallPage = 15;
const maxTailCalls = 5;
const maxHalvings = 3;
/** More if close together in time. */
const tailWanted = 150;
/** Names that are looked up. */
const maxNamed = 40;
const maxTeams = 1000;
/** Total wait for Slack's limits. */
const maxWaitMs = 20_000;

/** Deleted, but with replies. */
const deleted = 'tombstone';

const at = (ts: string) => new Date(Number(ts) * 1000);

type Page = { replies: Reply[]; more: boolean };
type FetchPage = (oldest?: string) => Promise<Page>;

/** @throws if it isn't the thread, which has at least its first message */
async function readPage(given: unknown): Promise<Reply[]> {
  const replies: Reply[] = [];
  for (const raw of Array.isArray(given) ? given : []) {
    const { data } = Message.safeParse(raw);
    if (data === undefined) continue;
    const bot_id = data.bot_id ?? (data.subtype === 'bot_message' ? '' : null);
    const written = collectText({ ...data, bot_id });
    replies.push({ ...data, bot_id, own: keyOf(raw) !== null, written });
    if (isSliceOver()) await nextTurn();
  }
  if (replies.length > 0) return replies;
  throw new CountersignError('tool_unavailable', threadWords.empty, { passesAfterMs: 0 });
}

/** Estimates a start by count, halves the time left, then pages. Empty if that takes too many calls. */
async function readTail(fetch: FetchPage, from: number, to: number, unread: number) {
  let oldest = to - (to - from) * Math.min(1, tailWanted / Math.max(1, unread));
  let found: Reply[] = [];
  for (let calls = 1; calls <= maxTailCalls; calls++) {
    const { replies, more } = await fetch(oldest.toFixed(6));
    found.push(...replies);
    if (!more) return found;
    const last = Math.max(oldest, Number(replies.at(-1)?.ts ?? 0));
    const halves = calls < maxHalvings;
    if (halves) found = [];
    oldest = halves ? (last + to) / 2 : last;
  }
  return [];
}

/** Waits up to `maxWaitMs` in total. */
function createPatience(clock: Clock, signal: AbortSignal) {
  const until = clock.now().getTime() + maxWaitMs;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        const wait =
          error instanceof CountersignError && error.details.limited === true
            ? error.passesAfterMs
            : null;
        if (wait === null || clock.now().getTime() + wait > until) throw error;
        await pause(wait, undefined, { signal });
      }
    }
  };
}

/** One call at a time until more than a page a minute is known to be allowed, for a single refusal. */
function createTurns(clock: Clock) {
  const unlimited = createRecent<true>({ keep: maxTeams });
  const answered = createRecent<true>({ keep: maxTeams, forMs: 60_000, clock });
  const calling = new Map<string, Promise<Page>>();
  return async (team: string, call: () => Promise<Page>): Promise<Page> => {
    for (;;) {
      const other = calling.get(team);
      if (other === undefined || unlimited.get(team)) break;
      await other.catch(() => {}); // Its own caller gets the error.
    }
    if (unlimited.get(team)) return call();
    const page = call();
    calling.set(team, page);
    try {
      const { replies } = await page;
      if (replies.length > smallPage || answered.get(team)) unlimited.set(team, true);
      answered.set(team, true);
      return await page;
    } finally {
      calling.delete(team);
    }
  };
}

const isLimit = (error: unknown) =>
  error instanceof CountersignError && error.details.limited === true;

export function createReadThread({
  clientOf,
  ask,
  people,
  clock,
}: {
  clientOf: ClientOf;
  ask: Ask;
  people: Pick<People, 'describe'>;
  clock: Clock;
}): ReadMessages {
  const inTurn = createTurns(clock);

  /** If Slack's limits allow. */
  async function findNames(
    team: string,
    replies: Reply[],
    patiently: ReturnType<typeof createPatience>,
  ) {
    const ids = new Set(
      replies
        .toReversed()
        .flatMap((reply) => [
          ...(reply.bot_id === null && reply.user != null ? [reply.user] : []),
          ...mentionedIn(reply.written),
        ]),
    );
    const named = new Map<string, Awaited<ReturnType<People['describe']>>>();
    for (const id of [...ids].slice(0, maxNamed)) {
      const found = await patiently(() => people.describe(team, id)).catch((error: unknown) => {
        // The ID stays.
        if (error instanceof CountersignError) return null;
        throw error;
      });
      if (found !== null) named.set(id, found);
    }
    return named;
  }

  async function readLink({ tenant: team, channel, thread }: ChatPlace): Promise<string | null> {
    const client = await clientOf(team);
    const call = { team, method: 'chat.getPermalink', channel: null, action: 'link to a message' };
    const message_ts = thread ?? '';
    const answer = await ask(call, () => client.chat.getPermalink({ channel, message_ts })).catch(
      () => null, // Read without a link.
    );
    return answer?.permalink ?? null;
  }

  return async (place, asked, signal) => {
    const { tenant: team, channel, thread } = place;
    const [, rest = ''] = asked.split(nameMessage(team, channel, ''));
    const [ts] = /^\d{1,12}\.\d{6}/.exec(rest) ?? [];
    if (thread === null || ts === undefined || rest === thread) return null;
    /** Only a mention is in the thread itself. */
    const isThere = rest === ts;
    const client = await clientOf(team, signal);
    const patiently = createPatience(clock, signal);
    const call = {
      ...{ team, method: 'conversations.replies', channel: null },
      action: 'read the thread',
    };
    const fetch: FetchPage = async (oldest) => {
      const range =
        oldest === undefined ? { limit: firstPageSize } : { limit: tailPageSize, oldest };
      const wanted = { channel, ts: thread, include_all_metadata: true };
      const read = async () => {
        const reply = () => client.conversations.replies({ ...wanted, ...range });
        const { messages, has_more } = await ask(call, reply);
        return { replies: await readPage(messages), more: has_more === true };
      };
      return patiently(() => inTurn(team, read));
    };
    const first = await fetch().catch((error: unknown) => {
      throw isLimit(error) ? waitedTooLong() : explainSlackError(error, call.action);
    });
    const small = first.more && first.replies.length <= smallPage;
    const last = first.replies.at(-1)?.ts ?? thread;
    const [root] = first.replies;
    const unread = (root?.reply_count ?? 0) + 1 - first.replies.length;
    const isWhole = !first.more || Number(last) >= Number(ts);
    let tail: Reply[] = [];
    if (!isWhole && !small) {
      tail = await readTail(fetch, Number(last), Number(ts), unread).catch((error: unknown) => {
        if (isLimit(error)) return [];
        throw error;
      });
    }
    const all = [
      ...new Map([...first.replies, ...tail].map((reply) => [reply.ts, reply])).values(),
    ].sort((one, other) => Number(one.ts) - Number(other.ts));
    const above = all.filter((one) => Number(one.ts) < Number(ts));
    const shown = above.filter(
      ({ own, subtype, bot_id }) =>
        !own && (bot_id !== null || subtype === deleted || isWritten(subtype ?? undefined)),
    );
    const newest = isWhole || tail.length > 0;
    if (shown.length === 0 && newest) return null;
    const named = await findNames(team, shown, patiently);
    const names = new Map([...named].map(([id, { name }]) => [id, name]));
    const toMessage = (reply: Reply): ThreadMessage => {
      const { user, bot_id, username, bot_profile, subtype, edited, files } = reply;
      const person = bot_id === null ? named.get(user ?? '') : undefined;
      return {
        at: at(reply.ts),
        account: person?.account ?? null,
        author: person?.name ?? username ?? bot_profile?.name ?? user ?? null,
        text: readPlainText(reply.written, names, null),
        edited: edited == null ? null : at(edited.ts),
        deleted: subtype === deleted,
        files: readFiles(files),
        once: nameMessage(team, channel, reply.ts),
      };
    };
    const beyond =
      (root?.reply_count ?? 0) +
      1 -
      all.length -
      (!isThere || all.some((one) => one.ts === ts) ? 0 : 1);
    return {
      messages: await mapInSlices(shown, toMessage),
      gap: isWhole
        ? null
        : newest
          ? shown.filter(({ ts: sent }) => Number(sent) <= Number(last)).length
          : shown.length,
      total: shown.length + (isWhole ? 0 : Math.max(0, beyond)),
      link: await readLink(place),
      note: newest ? null : small ? threadWords.smallPages : threadWords.newestUnread,
    };
  };
}

function waitedTooLong(): CountersignError {
  return new CountersignError('tool_unavailable', threadWords.limited, { passesAfterMs: 0 });
}
