// Who is in a chat or channel, as far as a card can ask for each of them alone. Asked once in a while.
import { teamsLimits } from '#cards/limits.ts';
import type { Clock } from '#contracts/clock.ts';
import type { TeamsConversation } from '#contracts/teams-conversation.ts';
import type { Connector } from './connector.ts';

const keptForMs = 10 * 60_000;
const keptAtMost = 2000;

/** The people for whom a card there is refreshed by itself; empty: there are too many, they ask by hand. */
export type ReadersOf = (where: TeamsConversation) => Promise<string[]>;

export function createReadersOf(options: {
  connector: Connector;
  clock: Clock;
  warn(message: string, error?: unknown): void;
}): ReadersOf {
  const { connector, clock, warn } = options;
  const known = new Map<string, { readers: string[]; until: number }>();
  return async (where) => {
    if (where.kind === 'personal') return where.person === null ? [] : [where.person];
    const key = JSON.stringify([where.tenant, where.channel]);
    const now = clock.now().getTime();
    const kept = known.get(key);
    if (kept !== undefined && kept.until > now) return kept.readers;
    let readers: string[] = [];
    try {
      const members = await connector.members(where, where.channel, teamsLimits.refreshUsers + 1);
      if (members.length <= teamsLimits.refreshUsers) readers = members.map(({ id }) => id);
    } catch (error) {
      // The card says the same to everybody then.
      warn('Teams did not say who reads a card.', error);
    }
    if (known.size >= keptAtMost) known.clear();
    known.set(key, { readers, until: now + keptForMs });
    return readers;
  };
}
