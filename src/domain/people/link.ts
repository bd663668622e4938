// Linked accounts: a person who uses several surfaces is one person.
//
// An account is how a surface identifies someone: `slack:TEAM:USER`, `teams:TENANT:OID`, an e-mail address vouched for by a chat
// platform, or a name typed in a terminal or over HTTP. A person is the name under which the instance acts.

export type LinkCommand =
  /** `once`: the event that asks, by its name where it came from; it may be handled again. */
  { do: 'ask'; once?: string } | { do: 'use'; code: string } | { do: 'show' } | { do: 'remove' };

/** `accounts`: all that are `person`; empty where nothing is linked. */
type Linked = { account: string; person: string; accounts: string[] };

export type LinkOutcome =
  | { kind: 'code'; code: string; expires_at: string }
  | ({ kind: 'linked' } & Linked)
  | ({ kind: 'shown' } & Linked)
  /** `former`: the name of all of them before; what was done by it stays with it. */
  | ({ kind: 'removed'; former: string } & Linked);

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
