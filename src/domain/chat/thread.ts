// The messages above a request in its thread.
import type { AttachedFile } from '../attached-file.ts';
import type { PlatformName } from '../platform-name.ts';
import type { ChatPlace } from './chat.ts';

export type ThreadMessage = {
  at: Date;
  /** Null for an app or if unknown. */
  account: string | null;
  author: string | null;
  text: string;
  edited: Date | null;
  deleted: boolean;
  files: AttachedFile[];
  /** The key of the message's event, received or not. */
  once: string;
};

/** Oldest first, without the bot's own. */
export type ThreadMessages = {
  messages: ThreadMessage[];
  /** Messages before the missing ones; null if complete. */
  gap: number | null;
  total: number | null;
  link: string | null;
  /** Why some could not be read, in a sentence. */
  note: string | null;
};

/** @param asked the key of the request's message @returns null if none precedes it or all were delivered */
export type ReadMessages = (
  place: ChatPlace,
  asked: string,
  signal: AbortSignal,
) => Promise<ThreadMessages | null>;

export type ThreadReaders = Readonly<Record<PlatformName, ReadMessages>>;

export type FetchedFile = Pick<AttachedFile, 'name' | 'type'> & { content: Buffer };

/** @throws `not_found` if not attached there, `limit_exceeded` if too large */
export type FetchFile = (place: ChatPlace, id: string, signal: AbortSignal) => Promise<FetchedFile>;

export type FileFetchers = Readonly<Record<PlatformName, FetchFile>>;
