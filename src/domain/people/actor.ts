// Who acts, and through which surface.
import { z } from 'zod';

export const Surface = z.enum(['slack', 'teams', 'console', 'terminal', 'api', 'system']);
export type Surface = z.infer<typeof Surface>;

/** Those that check who somebody is. Elsewhere a name is only typed. */
export function isVouchedBy(via: Surface): boolean {
  return via === 'slack' || via === 'teams';
}

/** A person, a model or the system itself. Only a person can decide about a plan. */
export const Actor = z.object({
  kind: z.enum(['person', 'model', 'system']),
  /** Stable id of the person on their platform; `local` where there is no login. */
  id: z.string().min(1).max(200),
  via: Surface,
  /** Where they are (IANA), as far as the surface knows: times they speak of are theirs. */
  timezone: z.string().max(100).exactOptional(),
});
export type Actor = z.infer<typeof Actor>;

export const system: Actor = { kind: 'system', id: 'countersign', via: 'system' };

/** A person acting through `via`. @param timezone where they are, if the surface knows */
export function person(id: string, via: Surface, timezone?: string): Actor {
  return { kind: 'person', id, via, ...(timezone === undefined ? {} : { timezone }) };
}
