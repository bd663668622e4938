// The conversation service's port to chat platforms.
import { hash } from 'node:crypto';
import type { Activity } from '../planning/activity.ts';
import type { PlatformName } from '../platform-name.ts';
import type { JsonObject } from '../text.ts';
import type { AskedPerson } from './asked.ts';

export type ChatPlace = {
  platform: PlatformName;
  /** Workspace ID. */
  tenant: string;
  channel: string;
  /** Null for the channel itself, as in a direct message. */
  thread: string | null;
};

export function conversationAt({ platform, tenant, channel, thread }: ChatPlace): string {
  const name = JSON.stringify([platform, tenant, channel, thread]);
  return `${platform}-${hash('sha256', name, 'hex').slice(0, 32)}`;
}

export function platformOf(conversation: string): PlatformName | null {
  return /^(.+)-[\da-f]{32}$/.exec(conversation)?.[1] ?? null;
}

export type ChatPost = ChatPlace & { message: string };

/**
 * `sent_at`: the platform's clock. `unfinished`: its file is missing; a retry adds it. `found`: posted by an earlier attempt.
 * `reached`: those asked whom the platform knows.
 */
export type Posted = ChatPost & {
  sent_at?: Date;
  unfinished?: true;
  found?: true;
  reached?: Reached[];
  link?: string | null;
};

/** `place`: direct messages, or null. */
export type Reached = { name: string; place: ChatPlace | null; timezone: string | null };

/** Mentioned, and so notified, once: when the message is posted. */
export type Mention = { people: AskedPerson[]; words: string };

export type ChatFile = { name: string; title: string; text: string };

/**
 * `text`: for notifications and screen readers. `file`: the full text if shown in part. `concerns`: names the card waits for.
 * `plain`: fallback for `card`.
 */
export type ChatContent = {
  text: string;
  card: unknown;
  plain?: unknown;
  file?: ChatFile;
  concerns?: string[];
  mention?: Mention;
};

/** `asked`: the platform's message, or null; `at`: last shown; `own`: the port's state. */
export type ShownStatus = {
  turn: string;
  asked: string | null;
  activity: Activity;
  at: string;
  own?: JsonObject;
};

/** Shows planner activity. Throws as `ChatPort`; callers only log it. */
export type StatusPort = {
  /** Until the platform hides it. */
  fadesAfterMs: number;
  /** Before the message `asked` is handled. @param sent called once its request is under way */
  showFirst(place: ChatPlace, asked: string | null, sent: () => void): Promise<void>;
  /** For messages without planning, where the status doesn't fade. */
  hideFirst?(place: ChatPlace, asked: string): Promise<void>;
  /** @returns the port's state for the next call */
  show(
    place: ChatPlace,
    status: Pick<ShownStatus, 'asked' | 'activity'> & { title?: string },
    before: ShownStatus | null,
    givenUp: AbortSignal,
  ): Promise<JsonObject | undefined>;
  /** @returns the port's state while the answer `key` replaces the status, or null to post separately */
  handOver?(shown: ShownStatus, key: string): JsonObject | null;
  clear(place: ChatPlace, shown: ShownStatus, givenUp: AbortSignal): Promise<void>;
  /** While idle. @param shown null if nothing was shown */
  rest?(
    place: ChatPlace,
    shown: ShownStatus | null,
    readState: () => Promise<RestingState>,
    givenUp: AbortSignal,
  ): Promise<void>;
};

/** `suspended`: waits for a person; `closed`: all plans have ended. */
export type RestingState = 'active' | 'suspended' | 'closed';

/**
 * Throws CountersignError: transient with `passesAfterMs`; `not_found` for a missing message or channel; `not_allowed` for a
 * removed app, missing scope or revoked token.
 */
export type ChatPort = {
  /**
   * @param key the same for every attempt, to find a post whose response was lost
   * @param triedSince earliest possible earlier attempt, null if none, undefined if unknown
   * @param givenUp starts nothing more, but reports a post in progress
   */
  post(
    place: ChatPlace,
    content: ChatContent,
    key: string,
    triedSince?: Date | null,
    givenUp?: AbortSignal,
    shown?: ShownStatus | null,
  ): Promise<Posted>;
  /** @param progress only steps changed; yields to other updates */
  update(
    post: ChatPost,
    content: ChatContent,
    givenUp?: AbortSignal,
    progress?: boolean,
  ): Promise<void>;
  /** @returns milliseconds until its turn */
  queueProgress?(post: ChatPost): Promise<number>;
  whisper(place: ChatPlace, user: string, content: ChatContent): Promise<void>;
  status?: StatusPort;
};

/** Personal pages, such as Slack's Home tab. */
export type ChatHomes = {
  /** @param shown digest of the current content, or null @returns the new digest @throws as `ChatPort` */
  show(home: { tenant: string; user: string }, shown: string | null): Promise<string>;
};

/** One call per `everyMs`, with `burst` at once after a pause. */
export type Rate = { everyMs: number; burst: number };

export type RateLimits = {
  /** @param rate null: only the platform's refusals count @returns 0, or milliseconds to wait */
  take(key: string, rate: Rate | null): Promise<number>;
  /** Without bursts. @returns milliseconds until its turn */
  queue(key: string, everyMs: number): Promise<number>;
  hold(key: string, ms: number): Promise<void>;
};
