// Finds places to post to by the names that people use.
import type { PlatformName } from '../platform-name.ts';
import type { ChatPlace } from './chat.ts';

export type FoundPlace = { place: ChatPlace; name: string };

/**
 * Shared by the bot and the requester, in `from`'s workspace.
 * @param wanted a name, address, link or known place
 * @returns the place, or why not; null if they can't reach the known place
 */
export type FindPlace = (
  from: ChatPlace,
  requester: string,
  wanted: string | ChatPlace,
) => Promise<FoundPlace | { refusal: string } | null>;

export type PlaceFinders = Readonly<Record<PlatformName, FindPlace>>;
