// Who acts, through which surface.
import { z } from 'zod';
import { PlatformName } from '../platform-name.ts';
import { Role } from './principal.ts';

const OwnSurface = z.enum(['console', 'terminal', 'api', 'mcp', 'system']);
export const Surface = z.union([OwnSurface, PlatformName]);
export type Surface = z.infer<typeof Surface>;

/** Only a person can decide on a plan. */
export const Actor = z.object({
  kind: z.enum(['person', 'model', 'system']),
  /** Stable platform ID; `local` without login. */
  id: z.string().min(1).max(200),
  via: Surface,
  /** IANA. */
  timezone: z.string().max(100).exactOptional(),
  verified: z.literal(true).exactOptional(),
  /** Maximum rights; default: by the plan's rules. */
  role: Role.exactOptional(),
  stale: z.literal(true).exactOptional(),
  /** Or from another organisation in a shared channel. */
  guest: z.literal(true).exactOptional(),
  /** Default: the chat's or the instance's. */
  tenant: z.string().max(200).exactOptional(),
});
export type Actor = z.infer<typeof Actor>;

/** Elsewhere names are only typed. */
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

export function person(id: string, via: Surface, timezone?: string): Actor {
  return { kind: 'person', id, via, ...(timezone === undefined ? {} : { timezone }) };
}
