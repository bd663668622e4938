// Who is in a chat or channel, as far as a card can ask for each of them alone. Asked once in a while. Teams lets a card name sixty
// people, however many read it: those whom it waits for come first.
import { platformLimits } from '#cards/limits.ts';
import type { TeamsConversation } from '#domain/chat/teams-conversation.ts';
import type { Clock } from '#domain/clock.ts';
import { personKey } from '#domain/people/names.ts';
import { createRecent } from '#domain/recent.ts';
import type { Calls, Member } from '../connector/connector.ts';

const keptForMs = 10 * 60_000;
const maxKept = 500;
/** In a larger team, people beyond these refresh by hand. */
const maxRead = 1000;

/** A reader by their id in Teams, by the account they act with, and as Teams calls them. */
export type Reader = { id: string; account: string; name: string | null };

export type Readers = {
  /**
   * The people for whom Teams refreshes a card there automatically; others refresh by hand.
   * @param concerned the names of those it waits for
   */
  choose(where: TeamsConversation, concerned: readonly string[]): Promise<string[]>;
  /** The members; empty if Teams does not say. */
  read(where: TeamsConversation): Promise<readonly Reader[]>;
};

/** As many as a card takes, those of `names` first. */
export function chooseReaders(
  readers: readonly Omit<Reader, 'name'>[],
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
  /** What somebody is called in `tenant`. */
  accountOf(member: Member, tenant: string): string;
  /** All names of those who stand behind some, and of approvers of every plan. */
  namesOf(names: readonly string[]): Promise<string[]>;
  warn(message: string, error?: unknown): void;
}): Readers {
  const { connector, clock, accountOf, namesOf, warn } = options;
  const known = createRecent<Promise<Reader[]>>({ keep: maxKept, forMs: keptForMs, clock });

  async function read(where: TeamsConversation): Promise<Reader[]> {
    const key = JSON.stringify([where.tenant, where.channel]);
    const kept = known.get(key);
    if (kept !== undefined) return kept;
    // Who asks meanwhile waits for the same answer.
    const readers = connector.members(where, where.channel, maxRead).then(
      (members) =>
        members.map((member) => ({
          id: member.id,
          account: accountOf(member, where.tenant),
          name: member.name ?? null,
        })),
      (error: unknown) => {
        // The card says the same to everybody then.
        warn('Teams did not say who reads a card.', error);
        return [];
      },
    );
    known.set(key, readers);
    return readers;
  }

  async function choose(where: TeamsConversation, concerned: readonly string[]) {
    if (where.kind === 'personal') return where.person === null ? [] : [where.person];
    const readers = await read(where);
    // Where all are named anyway, nobody has to be looked up.
    const names =
      readers.length > platformLimits.teams.refreshUsers ? await namesOf(concerned) : [];
    return chooseReaders(readers, names);
  }

  return { choose, read };
}
