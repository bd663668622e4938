// Writes to Slack; lost responses are looked up before reposting.
import type {
  ChatContent,
  ChatFile,
  ChatPlace,
  ChatPort,
  ChatPost,
  Posted,
  RateLimits,
} from '#domain/chat/chat.ts';
import type { Clock } from '#domain/clock.ts';
import type { CountersignError } from '#domain/errors.ts';
import { explainSlackError } from '../calls/explain-error.ts';
import { createAsk, queueProgress } from '../calls/hold.ts';
import { type Reach, reachNobody } from '../people/reach.ts';
import type { ClientOf } from '../workspaces.ts';
import {
  addMention,
  contentOf,
  createWriteContent,
  findMentioned,
  type Mentioned,
  quiet,
  reachEach,
  type SlackContent,
  type SlackMessageBody,
} from './content.ts';
import { findPosted, metadataOf, nothingUnder, readUnder } from './look-back.ts';
import { nameUnder, sendFile } from './send-file.ts';
import { createStatusPort } from './status.ts';

const threadOf = ({ thread }: ChatPlace) => (thread === null ? {} : { thread_ts: thread });

/** Posted despite the error, perhaps. */
function mayHaveActed(error: CountersignError): boolean {
  return error.passesAfterMs !== null && error.details.slack === undefined;
}

export function createSlackPort(options: {
  clientOf: ClientOf;
  clock: Clock;
  limits: RateLimits;
  /** Without it, no mentions. */
  reach?: Reach;
  warn(message: string, error?: unknown): void;
}): ChatPort {
  const { clientOf, clock, limits, reach = reachNobody, warn } = options;
  const ask = createAsk(limits);
  const writeContent = createWriteContent({ clock, warn });

  async function look(
    place: ChatPlace,
    key: string,
    { since, givenUp }: { since: Date | null; givenUp: AbortSignal | undefined },
  ): Promise<ChatPost | null> {
    const client = await clientOf(place.tenant, givenUp);
    const method = place.thread === null ? 'conversations.history' : 'conversations.replies';
    const call = { team: place.tenant, method, channel: null, action: 'say what was posted' };
    const ts = await ask(call, () => findPosted(client, place, { key, since, now: clock.now() }));
    return ts === null ? null : { ...place, message: ts };
  }

  async function postOnce(
    place: ChatPlace,
    content: SlackContent,
    {
      key,
      triedSince,
      givenUp,
    }: { key: string; triedSince: Date | null | undefined; givenUp: AbortSignal | undefined },
  ) {
    // Only for retries: many apps may search once a minute.
    const before =
      triedSince === null ? null : await look(place, key, { since: triedSince ?? null, givenUp });
    if (before !== null) return { post: before, again: true };
    const begun = clock.now();
    // Once sent, only the response tells.
    const client = await clientOf(place.tenant);
    const { tenant: team, channel } = place;
    try {
      const call = { team, method: 'chat.postMessage', channel, action: 'post a message' };
      const metadata = metadataOf(key);
      const write = (body: SlackMessageBody) => {
        givenUp?.throwIfAborted();
        return ask(call, () =>
          client.chat.postMessage({ channel, ...threadOf(place), ...body, ...quiet, metadata }),
        );
      };
      const { ts } = await writeContent(team, content, write);
      if (ts === undefined) throw new Error('Slack named no message.');
      return { post: { ...place, message: ts }, again: false };
    } catch (cause) {
      const error = explainSlackError(cause, 'post a message');
      if (cause === givenUp?.reason || !mayHaveActed(error)) throw error;
      const since = begun;
      const found = await look(place, key, { since, givenUp: undefined }).catch(() => null);
      if (found !== null) return { post: found, again: true };
      throw error;
    }
  }

  /** A failure keeps the message. @returns whether the attempt was aborted */
  async function attach(
    post: ChatPost,
    given: ChatFile,
    key: string,
    { again, givenUp }: { again: boolean; givenUp: AbortSignal | undefined },
  ): Promise<'ended' | 'settled'> {
    const { tenant: team, channel, thread, message } = post;
    const file = { ...given, name: nameUnder(given.name, key) };
    const look = {
      team,
      method: 'conversations.replies',
      channel: null,
      action: 'say what was posted',
    };
    try {
      const client = await clientOf(team, givenUp);
      const under = again ? await ask(look, () => readUnder(client, post)) : nothingUnder;
      if (under.names.has(file.name)) return 'settled';
      const target = { team, channel, thread: thread ?? message };
      await sendFile({ client, ask, warn }, target, file, { key, there: under.keys });
    } catch (cause) {
      // The message is already visible.
      if (givenUp?.aborted === true) return 'ended';
      const error = explainSlackError(cause, 'take a file');
      // The retry finds the message by its key.
      if (error.passesAfterMs !== null) throw error;
      warn(`Could not send the file of a message: ${error.message}`, error);
    }
    return 'settled';
  }

  /** And the direct messages of the people it asks. */
  async function findThose(post: ChatPost, mentioned: Mentioned, tried: boolean) {
    const { tenant: team, channel, message: message_ts } = post;
    const reached = await reachEach(reach, team, mentioned).catch((error: unknown) => {
      // Later messages don't wait for mentions.
      if (!tried) throw error;
      warn('The people a card asks are notified only in its conversation.', error);
      return [];
    });
    if (reached.length === 0) return {};
    const call = { team, method: 'chat.getPermalink', channel: null, action: 'link to a message' };
    const client = await clientOf(team);
    const link = await ask(call, () => client.chat.getPermalink({ channel, message_ts })).catch(
      (error: unknown) => warn('Could not send a link to the people a card asks.', error),
    );
    return { reached, link: link?.permalink ?? null };
  }

  /** New cards. @throws transient errors */
  const findFirst = (team: string, mention: ChatContent['mention']) =>
    findMentioned(reach, team, mention);

  /** Edits and retries; none while Slack can't say. */
  async function findAgain(team: string, mention: ChatContent['mention']): Promise<Mentioned> {
    return findMentioned(reach, team, mention).catch(() => []);
  }

  return {
    status: createStatusPort({ clientOf, ask, warn }),

    async post(place, content, key, triedSince, givenUp) {
      const tried = triedSince != null;
      const find = tried ? findAgain : findFirst;
      const mentioned = await find(place.tenant, content.mention);
      const words = content.mention?.words ?? '';
      const mentioning = addMention(contentOf(content), mentioned, words, true);
      const { post, again } = await postOnce(place, mentioning, { key, triedSince, givenUp });
      const those = await findThose(post, mentioned, tried);
      const sent_at = new Date(Number(post.message) * 1000);
      const posted: Posted = { ...post, ...those, sent_at, ...(again ? { found: true } : {}) };
      if (content.file === undefined) return posted;
      const became = await attach(post, content.file, key, { again, givenUp });
      return became === 'ended' ? { ...posted, unfinished: true } : posted;
    },

    queueProgress: ({ tenant }) => queueProgress(limits, tenant),

    async update(post, content, givenUp, progress = false) {
      const client = await clientOf(post.tenant, givenUp);
      const { tenant: team, channel, message: ts } = post;
      const call = {
        ...{ team, method: 'chat.update', channel: null, action: 'change a message' },
        progress,
      };
      const write = (body: SlackMessageBody) =>
        ask(call, () =>
          client.chat.update({ channel, ts, ...body, parse: 'none', link_names: false }),
        );
      const mentioned = await findAgain(team, content.mention);
      const words = content.mention?.words ?? '';
      await writeContent(team, addMention(contentOf(content), mentioned, words, false), write);
    },

    async whisper(place, user, content) {
      const client = await clientOf(place.tenant);
      const { text, blocks } = contentOf(content);
      const { tenant: team, channel } = place;
      const call = { team, method: 'chat.postEphemeral', channel: null, action: 'tell somebody' };
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
