// Who acts, and through which surface.
import { z } from 'zod';
import { PlatformName } from '../platform-name.ts';
import { Role } from './principal.ts';

/** Surfaces of our own; every other one is a chat platform. */
const OwnSurface = z.enum(['console', 'terminal', 'api', 'mcp', 'system']);
export const Surface = z.union([OwnSurface, PlatformName]);
export type Surface = z.infer<typeof Surface>;

/** A person, a model or the system itself. Only a person can decide about a plan. */
export const Actor = z.object({
  kind: z.enum(['person', 'model', 'system']),
  /** Stable id of the person on their platform; `local` where there is no login. */
  id: z.string().min(1).max(200),
  via: Surface,
  /** Where they are (IANA), as far as the surface knows: times they speak of are theirs. */
  timezone: z.string().max(100).exactOptional(),
  /** They signed in, or came with a token of their own. */
  verified: z.literal(true).exactOptional(),
  /** What they may do at most; left out: what the rules of the plan allow. */
  role: Role.exactOptional(),
  /** The groups of their sign-in are too old to count. */
  stale: z.literal(true).exactOptional(),
  /** A guest in this chat, or from another organisation that shares the channel. */
  guest: z.literal(true).exactOptional(),
  /** The organisation they signed in for; left out: that of the chat, or the instance's own. */
  tenant: z.string().max(200).exactOptional(),
});
export type Actor = z.infer<typeof Actor>;

/** Whether it is certain who this is: a chat platform says so, or a sign-in. Elsewhere a name is only typed. */
export function isVerified({ via, verified }: Pick<Actor, 'via' | 'verified'>): boolean {
  return verified === true || !OwnSurface.safeParse(via).success;
}

export const system: Actor = { kind: 'system', id: 'countersign', via: 'system' };

/** A person as a chat platform describes them. */
export function personInChat(
  { id, timezone, guest }: { id: string; timezone?: string | undefined; guest: boolean },
  via: PlatformName,
): Actor {
  return { ...person(id, via, timezone), ...(guest ? { guest } : {}) };
}

/** A person acting through `via`. @param timezone where they are, if the surface knows */
export function person(id: string, via: Surface, timezone?: string): Actor {
  return { kind: 'person', id, via, ...(timezone === undefined ? {} : { timezone }) };
}
