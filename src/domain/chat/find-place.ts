// Finds places to post to on a chat platform by the names that people use.
import type { PlatformName } from '../platform-name.ts';
import type { ChatPlace } from './chat.ts';

export type FoundPlace = { place: ChatPlace; name: string };

/**
 * Finds a channel, person or thread of the workspace `from` is in, where both the bot and the requester are.
 * @param wanted a name, an address or a link
 * @returns the place, or why nothing can be posted there, in a sentence
 */
export type FindPlace = (
  from: ChatPlace,
  requester: string,
  wanted: string,
) => Promise<FoundPlace | { refusal: string }>;

export type PlaceFinders = Readonly<Record<PlatformName, FindPlace>>;
