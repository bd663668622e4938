// Linked accounts: a person who uses several surfaces is one person.
// An account is a surface's ID: `slack:TEAM:USER`, `teams:TENANT:OID`, a verified e-mail address, or a typed name. A person is
// the name under which the instance acts.
import { z } from 'zod';

export type LinkCommand =
  /** `once`: the event's ID, for retries. */
  { do: 'ask'; once?: string } | { do: 'use'; code: string } | { do: 'show' } | { do: 'remove' };

/** `accounts`: all accounts of `person`; empty without links. */
export const linked = { account: z.string(), person: z.string(), accounts: z.array(z.string()) };

export const LinkOutcome = z.union([
  z.object({ kind: z.literal('code'), code: z.string(), expires_at: z.iso.datetime() }),
  z.object({ kind: z.literal('linked'), ...linked }),
  z.object({ kind: z.literal('shown'), ...linked }),
  /** `former`: the previous shared name, which keeps its history. */
  z.object({ kind: z.literal('removed'), ...linked, former: z.string() }),
]);
export type LinkOutcome = z.infer<typeof LinkOutcome>;

/** The argument of `link`: none, a code, `show` or `remove`. @param once the event's ID */
export function readLinkCommand(text: string, once?: string): LinkCommand {
  const words = text.trim();
  switch (words.toLowerCase()) {
    case '':
      return once === undefined ? { do: 'ask' } : { do: 'ask', once };
    case 'show':
    case 'remove':
      return { do: words.toLowerCase() === 'show' ? 'show' : 'remove' };
    default:
      return { do: 'use', code: words };
  }
}
