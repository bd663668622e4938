// Linked accounts: a person who uses several surfaces is one person.
//
// An account is how a surface identifies someone: `slack:TEAM:USER`, `teams:TENANT:OID`, an e-mail address vouched for by a chat
// platform, or a name typed in a terminal or over HTTP. A person is the name under which the instance acts.
import { z } from 'zod';

export type LinkCommand =
  /** `once`: the event that asks, by its name where it came from; it may be handled again. */
  { do: 'ask'; once?: string } | { do: 'use'; code: string } | { do: 'show' } | { do: 'remove' };

/** `accounts`: all that are `person`; empty where nothing is linked. */
export const linked = { account: z.string(), person: z.string(), accounts: z.array(z.string()) };

export const LinkOutcome = z.union([
  z.object({ kind: z.literal('code'), code: z.string(), expires_at: z.iso.datetime() }),
  z.object({ kind: z.literal('linked'), ...linked }),
  z.object({ kind: z.literal('shown'), ...linked }),
  /** `former`: the name of all of them before; what was done by it stays with it. */
  z.object({ kind: z.literal('removed'), ...linked, former: z.string() }),
]);
export type LinkOutcome = z.infer<typeof LinkOutcome>;

/** What follows the word `link`: nothing, a code, `show` or `remove`. @param once the event that said it */
export function readLinkCommand(said: string, once?: string): LinkCommand {
  const words = said.trim();
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
