// What the conversation service requires of a chat platform: where a conversation lives, and one way to write there. Adapters provide
// a `ChatPort`; nothing outside them knows Slack's or Teams' own terms.
import { hash } from 'node:crypto';
import type { Activity } from '../planning/activity.ts';
import type { PlatformName } from '../platform-name.ts';
import type { JsonObject } from '../text.ts';
import type { AskedPerson } from './asked.ts';

/** A thread of a platform in which a conversation takes place. */
export type ChatPlace = {
  platform: PlatformName;
  /** The workspace, or what the platform calls it. */
  tenant: string;
  channel: string;
  /** What replies are posted under; null: the channel itself, as in a direct message. */
  thread: string | null;
};

/** The conversation that lives at a place: always the same one. */
export function conversationAt({ platform, tenant, channel, thread }: ChatPlace): string {
  const name = JSON.stringify([platform, tenant, channel, thread]);
  return `${platform}-${hash('sha256', name, 'hex').slice(0, 32)}`;
}

/** The platform a conversation lives on, as `conversationAt` names it; null: none. */
export function platformOf(conversation: string): PlatformName | null {
  return /^(.+)-[\da-f]{32}$/.exec(conversation)?.[1] ?? null;
}

/** A message that was posted, by the platform's own name for it. */
export type ChatPost = ChatPlace & { message: string };

/**
 * A message as its platform answered for it; `sent_at` by the platform's clock, where it says when. `unfinished`: its post was
 * given up before its file was there, and the retry finds the post and adds the file. `found`: an earlier try had posted it, with what was true
 * then. `reached`: those whom its content asks
 * and the platform knows, and `link` what leads there to the message.
 */
export type Posted = ChatPost & {
  sent_at?: Date;
  unfinished?: true;
  found?: true;
  reached?: Reached[];
  link?: string | null;
};

/** A person the platform knows. `place`: their direct messages; null: there are none. */
export type Reached = { name: string; place: ChatPlace | null; timezone: string | null };

/** The people a message asks. The platform mentions those it knows, and notifies them once: when the message is posted. */
export type Mention = { people: AskedPerson[]; words: string };

/** Text that is too long for a message. */
export type ChatFile = { name: string; title: string; text: string };

/**
 * A message in the platform's own form, made by `cards/`; `text` is what notifications and screen readers get. `file` is all
 * that the message says where it shows a part of it; a platform that knows how posts it with the message, once. `concerns`: the
 * names of those whom the card waits for. `plain`: the same card for where the platform does not take `card`.
 */
export type ChatContent = {
  text: string;
  card: unknown;
  plain?: unknown;
  file?: ChatFile;
  concerns?: string[];
  mention?: Mention;
};

/**
 * What a place shows of the planner at work. `turn`: the run's id and turn; `asked`: the name of the message it is about, as
 * the platform's adapter gave it; null: it was not said there. `at`: when it was shown last. `own`: what the port keeps
 * between two calls.
 */
export type ShownStatus = {
  turn: string;
  asked: string | null;
  activity: Activity;
  at: string;
  own?: JsonObject;
};

/** Shows what a planner is doing until its answer comes. Errors as those of a `ChatPort`; callers only log them. */
export type StatusPort = {
  /** What stands there is shown again after so long, since the platform takes it away by itself. */
  fadesAfterMs: number;
  /** @param before what stands there; null: nothing. @returns what the port keeps for the next call */
  show(
    place: ChatPlace,
    status: Pick<ShownStatus, 'asked' | 'activity'>,
    before: ShownStatus | null,
    givenUp: AbortSignal,
  ): Promise<JsonObject | undefined>;
  /**
   * What is kept while the message with `key`, which is the answer, is posted in the place of what stands there; null: it is
   * posted beside. Left out: always beside.
   */
  handOver?(shown: ShownStatus, key: string): JsonObject | null;
  /** Takes it away; the answer, where there is one, stands there by now. */
  clear(place: ChatPlace, shown: ShownStatus, givenUp: AbortSignal): Promise<void>;
};

/**
 * Writes to a platform. Errors are CountersignError: with `passesAfterMs` what may be tried again (too many requests, the
 * platform is away), code `not_found` when the message or channel is gone, `not_allowed` when the app was removed, lacks
 * a scope or its token was revoked; then the sentence says what an operator has to do.
 */
export type ChatPort = {
  /**
   * @param key the same for every try of one message: a try that got through although its answer was lost is found by it
   *   and not posted again
   * @param triedSince when a try of it may have been made first; null: nobody has tried, so nothing is looked for. Left out:
   *   nobody knows
   * @param givenUp ends it: nothing more is begun. A post that is on its way is heard out and answered for, so that it is known
   *   where it stands
   * @param shown the status that was handed over to this message; null: none was
   */
  post(
    place: ChatPlace,
    content: ChatContent,
    key: string,
    triedSince?: Date | null,
    givenUp?: AbortSignal,
    shown?: ShownStatus | null,
  ): Promise<Posted>;
  /** @param progress only steps have moved: other changes go first */
  update(
    post: ChatPost,
    content: ChatContent,
    givenUp?: AbortSignal,
    progress?: boolean,
  ): Promise<void>;
  /** Assigns a turn to a progress update. @returns milliseconds until then. Left out: no turns */
  queueProgress?(post: ChatPost): Promise<number>;
  /** What only `user` sees. */
  whisper(place: ChatPlace, user: string, content: ChatContent): Promise<void>;
  /** Left out: the platform has no way to show it. */
  status?: StatusPort;
};

/** What a platform shows one person at its own place, such as a Home tab. */
export type ChatHomes = {
  /**
   * Shows what is true now, unless that stands there already.
   * @param shown digest of what stands there; null: nobody knows
   * @returns the digest of what stands there now
   * @throws CountersignError as a `ChatPort` does
   */
  show(home: { tenant: string; user: string }, shown: string | null): Promise<string>;
};

/** Calls that a platform accepts: one each `everyMs`, and `burst` at once after a pause. */
export type Rate = { everyMs: number; burst: number };

/** Rate limits of a platform, shared by all processes. */
export type RateLimits = {
  /**
   * Spends one call of the limit `key`. @param rate null: only refusals of the platform count
   * @returns 0: it was spent; else the milliseconds until it can be
   */
  take(key: string, rate: Rate | null): Promise<number>;
  /** Gives out the next turn of a queue without a burst. @returns milliseconds until then */
  queue(key: string, everyMs: number): Promise<number>;
  /** Nobody asks for it within `ms` milliseconds. */
  hold(key: string, ms: number): Promise<void>;
};
