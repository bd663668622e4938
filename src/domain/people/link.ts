// Linked accounts: the surfaces' IDs that one person uses.
import { z } from 'zod';

export type LinkCommand =
  /** `once`: event ID, for retries. */
  { do: 'ask'; once?: string } | { do: 'use'; code: string } | { do: 'show' } | { do: 'remove' };

export const linked = { account: z.string(), person: z.string(), accounts: z.array(z.string()) };

export const LinkOutcome = z.union([
  z.object({ kind: z.literal('code'), code: z.string(), expires_at: z.iso.datetime() }),
  z.object({ kind: z.literal('linked'), ...linked }),
  z.object({ kind: z.literal('shown'), ...linked }),
  /** `former`: the previous shared name, which keeps its history. */
  z.object({ kind: z.literal('removed'), ...linked, former: z.string() }),
]);
export type LinkOutcome = z.infer<typeof LinkOutcome>;

/** @param once event ID */
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
