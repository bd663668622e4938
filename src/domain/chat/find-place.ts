// Finds places to post to on a chat platform by the names that people use.
import type { PlatformName } from '../platform-name.ts';
import type { ChatPlace } from './chat.ts';

export type FoundPlace = { place: ChatPlace; name: string };

/**
 * Finds a channel, person or thread of the workspace `from` is in, where both the bot and the requester are.
 * @param wanted a name, an address, a link, or a place that is known
 * @returns the place, or why nothing can be posted there, in a sentence; null if they can't reach the known place
 */
export type FindPlace = (
  from: ChatPlace,
  requester: string,
  wanted: string | ChatPlace,
) => Promise<FoundPlace | { refusal: string } | null>;

export type PlaceFinders = Readonly<Record<PlatformName, FindPlace>>;
