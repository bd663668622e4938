// The messages above a request on a chat platform, as it gives them.
import type { AttachedFile } from '../attached-file.ts';
import type { PlatformName } from '../platform-name.ts';
import type { ChatPlace } from './chat.ts';

export type ThreadMessage = {
  at: Date;
  /** The account, or null for an app or if unknown. */
  account: string | null;
  /** The name that the platform shows, or null if unknown. */
  author: string | null;
  text: string;
  edited: Date | null;
  deleted: boolean;
  files: AttachedFile[];
  /** The key that the message's event has, whether or not the bot received it. */
  once: string;
};

/** Oldest first, without the bot's own messages. */
export type ThreadMessages = {
  messages: ThreadMessage[];
  /** How many of them come before those that are missing, or null if none is. */
  gap: number | null;
  /** Messages of the thread before the request, or null if unknown. */
  total: number | null;
  /** To the thread on its platform. */
  link: string | null;
  /** Why some could not be read, in a sentence, or null. */
  note: string | null;
};

/**
 * Reads the messages of a thread before one of them, in which its author asks something.
 * @param asked the key under which that message was heard
 * @returns null if there is none before it, or if all of them were delivered
 */
export type ReadMessages = (
  place: ChatPlace,
  asked: string,
  signal: AbortSignal,
) => Promise<ThreadMessages | null>;

export type ThreadReaders = Readonly<Record<PlatformName, ReadMessages>>;

export type FetchedFile = Pick<AttachedFile, 'name' | 'type'> & { content: Buffer };

/**
 * Fetches a file that is attached in the place, whole.
 * @throws CountersignError `not_found` if it isn't attached there, `limit_exceeded` if it is too large
 */
export type FetchFile = (place: ChatPlace, id: string, signal: AbortSignal) => Promise<FetchedFile>;

export type FileFetchers = Readonly<Record<PlatformName, FetchFile>>;
