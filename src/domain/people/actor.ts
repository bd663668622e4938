// Who acts, and through which surface.
import { z } from 'zod';
import { PlatformName } from '../platform-name.ts';
import { Role } from './principal.ts';

/** Our own surfaces; all others are chat platforms. */
const OwnSurface = z.enum(['console', 'terminal', 'api', 'mcp', 'system']);
export const Surface = z.union([OwnSurface, PlatformName]);
export type Surface = z.infer<typeof Surface>;

/** A person, a model or the system. Only a person can decide on a plan. */
export const Actor = z.object({
  kind: z.enum(['person', 'model', 'system']),
  /** The person's stable platform ID; `local` without login. */
  id: z.string().min(1).max(200),
  via: Surface,
  /** Their time zone (IANA), if known, in which they name times. */
  timezone: z.string().max(100).exactOptional(),
  /** Signed in, or with a personal token. */
  verified: z.literal(true).exactOptional(),
  /** Maximum rights; default: what the plan's rules allow. */
  role: Role.exactOptional(),
  /** Their sign-in's groups are too old to count. */
  stale: z.literal(true).exactOptional(),
  /** A guest in this chat, or from another organisation in a shared channel. */
  guest: z.literal(true).exactOptional(),
  /** Their sign-in's organisation; default: the chat's, or the instance's own. */
  tenant: z.string().max(200).exactOptional(),
});
export type Actor = z.infer<typeof Actor>;

/** Whether the identity is proven by a chat platform or sign-in. Elsewhere names are only typed. */
export function isVerified({ via, verified }: Pick<Actor, 'via' | 'verified'>): boolean {
  return verified === true || !OwnSurface.safeParse(via).success;
}

export const system: Actor = { kind: 'system', id: 'countersign', via: 'system' };

export function personInChat(
  { id, timezone, guest }: { id: string; timezone?: string | undefined; guest: boolean },
  via: PlatformName,
): Actor {
  return { ...person(id, via, timezone), ...(guest ? { guest } : {}) };
}

/** A person acting through `via`. @param timezone if the surface knows it */
export function person(id: string, via: Surface, timezone?: string): Actor {
  return { kind: 'person', id, via, ...(timezone === undefined ? {} : { timezone }) };
}
