// Members a card refreshes for, at most sixty, cached.
import { platformLimits } from '#cards/limits.ts';
import type { TeamsConversation } from '#domain/chat/teams-conversation.ts';
import type { Clock } from '#domain/clock.ts';
import { personKey } from '#domain/people/names.ts';
import { createRecent, shareByKey } from '#domain/recent.ts';
import type { Calls, Member } from '../connector/connector.ts';

const keptForMs = 10 * 60_000;
const maxKept = 500;
/** Others refresh by hand. */
const maxRead = 1000;

/** `id` is Teams', `object` the directory's. */
export type Reader = { id: string; object: string | null; account: string; name: string | null };

export type Readers = {
  /** @param concerned people it waits for */
  choose(where: TeamsConversation, concerned: readonly string[]): Promise<string[]>;
  /** None if Teams doesn't say. */
  read(where: TeamsConversation): Promise<readonly Reader[]>;
};

/** `names` first. */
export function chooseReaders(
  readers: readonly Pick<Reader, 'id' | 'account'>[],
  names: readonly string[],
): string[] {
  const wanted = new Set(names.map(personKey));
  const isWanted = ({ account }: { account: string }) => wanted.has(personKey(account));
  const first = readers.filter(isWanted);
  const others = readers.filter((reader) => !isWanted(reader));
  return [...first, ...others].slice(0, platformLimits.teams.refreshUsers).map(({ id }) => id);
}

export function createReaders(options: {
  connector: Calls;
  clock: Clock;
  accountOf(member: Member, tenant: string): string;
  /** With groups and approvers of every plan. */
  namesOf(names: readonly string[]): Promise<string[]>;
  warn(message: string, error?: unknown): void;
}): Readers {
  const { connector, clock, accountOf, namesOf, warn } = options;
  const known = createRecent<Promise<Reader[]>>({ keep: maxKept, forMs: keptForMs, clock });

  async function list(where: TeamsConversation): Promise<Reader[]> {
    try {
      const members = await connector.members(where, where.channel, maxRead);
      return members.map((member) => ({
        id: member.id,
        object: member.aadObjectId ?? member.objectId ?? null,
        account: accountOf(member, where.tenant),
        name: member.name ?? null,
      }));
    } catch (error) {
      // All readers then see the same card.
      warn('Could not read from Teams who can see a card.', error);
      return [];
    }
  }

  const read = (where: TeamsConversation): Promise<Reader[]> =>
    shareByKey(known, JSON.stringify([where.tenant, where.channel]), () => list(where));

  async function choose(where: TeamsConversation, concerned: readonly string[]) {
    if (where.kind === 'personal') return where.person === null ? [] : [where.person];
    const readers = await read(where);
    // No lookup if all fit.
    const names =
      readers.length > platformLimits.teams.refreshUsers ? await namesOf(concerned) : [];
    return chooseReaders(readers, names);
  }

  return { choose, read };
}
