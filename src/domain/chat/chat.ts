// Requirements of the conversation service on a chat platform: places of conversations, and a `ChatPort` to write there. Only
// adapters know Slack's or Teams' own terms.
import { hash } from 'node:crypto';
import type { Activity } from '../planning/activity.ts';
import type { PlatformName } from '../platform-name.ts';
import type { JsonObject } from '../text.ts';
import type { AskedPerson } from './asked.ts';

/** A thread of a platform in which a conversation takes place. */
export type ChatPlace = {
  platform: PlatformName;
  /** The workspace, in the platform's terms. */
  tenant: string;
  channel: string;
  /** The thread of replies, or null for the channel itself, as in a direct message. */
  thread: string | null;
};

/** The conversation of a place; stable. */
export function conversationAt({ platform, tenant, channel, thread }: ChatPlace): string {
  const name = JSON.stringify([platform, tenant, channel, thread]);
  return `${platform}-${hash('sha256', name, 'hex').slice(0, 32)}`;
}

/** The platform in a name from `conversationAt`, or null. */
export function platformOf(conversation: string): PlatformName | null {
  return /^(.+)-[\da-f]{32}$/.exec(conversation)?.[1] ?? null;
}

/** A posted message, by the platform's own ID. */
export type ChatPost = ChatPlace & { message: string };

/**
 * The platform's result of posting; `sent_at` by its clock, if known. `unfinished`: abandoned before its file was added, which a
 * retry does. `found`: posted by an earlier attempt, with the content of that time. `reached`: the people asked whom the platform
 * knows; `link`: to the message.
 */
export type Posted = ChatPost & {
  sent_at?: Date;
  unfinished?: true;
  found?: true;
  reached?: Reached[];
  link?: string | null;
};

/** A person the platform knows. `place`: their direct messages, or null. */
export type Reached = { name: string; place: ChatPlace | null; timezone: string | null };

/** The people a message asks. The platform mentions those it knows, notifying them once, when it is posted. */
export type Mention = { people: AskedPerson[]; words: string };

/** Text that is too long for a message. */
export type ChatFile = { name: string; title: string; text: string };

/**
 * A message in the platform's form, made by `cards/`; `text` is for notifications and screen readers. `file`: the full text if it
 * is shown partly. `concerns`: names the card waits for. `plain`: fallback for `card`.
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
 * The planner activity shown at a place. `turn`: run ID and turn; `asked`: the platform's message it is about, or null; `at`:
 * last shown; `own`: kept by the port between calls.
 */
export type ShownStatus = {
  turn: string;
  asked: string | null;
  activity: Activity;
  at: string;
  own?: JsonObject;
};

/** Shows a planner's activity until its answer. Errors as of `ChatPort`; callers only log them. */
export type StatusPort = {
  /** Milliseconds after which the platform hides it and it is shown again. */
  fadesAfterMs: number;
  /** A first sign of work on the message `asked`, before it is handled. */
  sign(place: ChatPlace, asked: string | null): Promise<void>;
  /** Removes the first sign of a message that led to no planning, where it doesn't fade in seconds. */
  unsign?(place: ChatPlace, asked: string): Promise<void>;
  /** @param before what is shown now, or null. @returns what the port keeps for the next call */
  show(
    place: ChatPlace,
    status: Pick<ShownStatus, 'asked' | 'activity'> & { title?: string },
    before: ShownStatus | null,
    givenUp: AbortSignal,
  ): Promise<JsonObject | undefined>;
  /**
   * @returns state to keep while the answer `key` replaces the status, or null to post it separately. Without this method:
   * separately.
   */
  handOver?(shown: ShownStatus, key: string): JsonObject | null;
  /** Removes it; any answer has been posted by now. */
  clear(place: ChatPlace, shown: ShownStatus, givenUp: AbortSignal): Promise<void>;
  /**
   * Shows what a conversation is in while nothing is planned, where the platform has states.
   * @param shown what was shown until now, or null
   */
  rest?(
    place: ChatPlace,
    shown: ShownStatus | null,
    readState: () => Promise<RestingState>,
    givenUp: AbortSignal,
  ): Promise<void>;
};

/** `suspended`: something waits for a person; `closed`: all its plans have ended. */
export type RestingState = 'active' | 'suspended' | 'closed';

/**
 * Writes to a platform. Throws CountersignError: transient ones with `passesAfterMs`; `not_found` for a missing message or
 * channel; `not_allowed` for a removed app, missing scope or revoked token, with advice for the operator.
 */
export type ChatPort = {
  /**
   * @param key the same for every attempt, so that one whose response was lost is found and not repeated
   * @param triedSince earliest possible earlier attempt, null if there was none, undefined if unknown
   * @param givenUp starts nothing more, but reports a post in progress
   * @param shown the status handed over to this message, or null
   */
  post(
    place: ChatPlace,
    content: ChatContent,
    key: string,
    triedSince?: Date | null,
    givenUp?: AbortSignal,
    shown?: ShownStatus | null,
  ): Promise<Posted>;
  /** @param progress only steps have changed: other changes go first */
  update(
    post: ChatPost,
    content: ChatContent,
    givenUp?: AbortSignal,
    progress?: boolean,
  ): Promise<void>;
  /** Assigns a turn to a progress update. @returns milliseconds until then. Optional */
  queueProgress?(post: ChatPost): Promise<number>;
  /** Visible only to `user`. */
  whisper(place: ChatPlace, user: string, content: ChatContent): Promise<void>;
  /** If the platform can show one. */
  status?: StatusPort;
};

/** A person's own page on a platform, such as a Home tab. */
export type ChatHomes = {
  /**
   * Shows the current state unless it is shown already.
   * @param shown digest of what is shown, or null if unknown
   * @returns the digest of what is shown now
   * @throws CountersignError as a `ChatPort` does
   */
  show(home: { tenant: string; user: string }, shown: string | null): Promise<string>;
};

/** A platform's limit: one call per `everyMs`, with `burst` at once after a pause. */
export type Rate = { everyMs: number; burst: number };

export type RateLimits = {
  /**
   * Spends one call of the limit `key`. @param rate null if only the platform's refusals count
   * @returns 0 if spent, else milliseconds to wait
   */
  take(key: string, rate: Rate | null): Promise<number>;
  /** Assigns the next turn of a queue without bursts. @returns milliseconds until then */
  queue(key: string, everyMs: number): Promise<number>;
  /** Blocks the key for `ms` milliseconds. */
  hold(key: string, ms: number): Promise<void>;
};
