// Resolves channels and people by name, for posting.
import { placeWords as words } from '#cards/chat-words.ts';
import type { ChatPlace } from '#domain/chat/chat.ts';
import type { FindPlace, FoundPlace } from '#domain/chat/find-place.ts';
import type { TeamsConversation, TeamsConversations } from '#domain/chat/teams-conversation.ts';
import type { Clock } from '#domain/clock.ts';
import { foldName, personKey } from '#domain/people/names.ts';
import { createRecent, shareByKey } from '#domain/recent.ts';
import type { Calls, Channel } from '../connector/connector.ts';
import { isAbsent } from '../people.ts';
import type { Reader, Readers } from '../port/members.ts';

const keptForMs = 10 * 60_000;
/** Members may leave. */
const memberForMs = 30_000;
const maxKept = 500;

/** Includes the post if it is a reply. */
const link =
  /^https:\/\/teams\.microsoft\.com\/l\/message\/([^/?]+)\/(\d{10,20})(?:\?(.{0,2000}))?$/;

type Found = FoundPlace | { refusal: string };

/** Where the plan was requested. */
type Where = TeamsConversation | null;

export function createFindPlace({
  connector,
  conversations,
  readers,
  findChat,
  everyNameOf,
  clock,
}: {
  connector: Pick<Calls, 'channels' | 'member'>;
  conversations: Pick<TeamsConversations, 'find' | 'keep'>;
  readers: Pick<Readers, 'read'>;
  /** Opened if there is none. */
  findChat(place: ChatPlace, person: string): Promise<TeamsConversation>;
  everyNameOf(name: string): Promise<string[]>;
  clock: Clock;
}): FindPlace {
  const known = createRecent<Promise<Channel[]>>({ keep: maxKept, forMs: keptForMs, clock });

  const listChannels = (where: TeamsConversation, team: string): Promise<Channel[]> =>
    shareByKey(known, team, () => connector.channels(where, team));

  const members = createRecent<Promise<boolean>>({ keep: maxKept, forMs: memberForMs, clock });

  /** Lists may be old, so they only tell the requester's ID. */
  async function isIn(where: TeamsConversation, from: Where, requester: string): Promise<boolean> {
    const names = new Set((await everyNameOf(requester)).map(personKey));
    const isRequester = ({ account }: Reader) => names.has(personKey(account));
    const own =
      (from === null ? undefined : (await readers.read(from)).find(isRequester)) ??
      (await readers.read(where)).find(isRequester);
    if (own === undefined) return false;
    const key = JSON.stringify([where.tenant, where.channel, own.id]);
    return shareByKey(members, key, async () => {
      try {
        await connector.member(where, where.channel, own.id);
        return true;
      } catch (error) {
        if (isAbsent(error)) return false;
        throw error;
      }
    });
  }

  async function enter(
    where: TeamsConversation,
    from: Where,
    requester: string,
    { id, name }: Channel,
    thread: string | null,
  ): Promise<Found> {
    const shown = `#${name}`;
    const { tenant, team, service_url, bot } = where;
    const channel: TeamsConversation = {
      ...{ tenant, team, service_url, bot, channel: id },
      ...{ kind: 'channel', person: null, timezone: null },
    };
    // Private channels have members of their own.
    if (!(await isIn(channel, from, requester)))
      return { refusal: words.requesterNotIn({ shown }) };
    await conversations.keep(channel);
    const place = { platform: 'teams', tenant, channel: id, thread };
    return { place, name: thread === null ? shown : words.threadIn({ shown }) };
  }

  async function findKnown(
    place: ChatPlace,
    from: Where,
    requester: string,
  ): Promise<Found | null> {
    const where = await conversations.find(place.tenant, place.channel);
    if (where === null) return null;
    const channels = where.team === null ? [] : await listChannels(where, where.team);
    const channel = channels.find(({ id }) => id === place.channel);
    if (channel !== undefined) return enter(where, from, requester, channel, place.thread);
    if (!(await isIn(where, from, requester))) return null;
    return { place, name: words.groupChat };
  }

  async function findPerson(
    from: ChatPlace,
    requester: string,
    wanted: string,
    people: readonly Reader[],
  ): Promise<Found> {
    const shown = wanted.replace(/^@/, '');
    const isAccount = shown === 'me' || /\S@\S|:/.test(shown);
    const accounts = isAccount ? await everyNameOf(shown === 'me' ? requester : shown) : [];
    const keys = new Set(accounts.map(personKey));
    const matching = people.filter(({ account, name }) =>
      isAccount ? keys.has(personKey(account)) : foldName(name ?? '') === foldName(shown),
    );
    const [person] = matching;
    if (person === undefined) return { refusal: words.nobody({ shown: wanted }) };
    if (matching.length > 1) return { refusal: words.severalPeople({ shown }) };
    const { tenant, channel } = await findChat(from, person.id);
    const place = { platform: 'teams', tenant, channel, thread: null };
    return { place, name: person.name ?? person.account };
  }

  return async (from, requester, wanted) => {
    const where = await conversations.find(from.tenant, from.channel);
    if (typeof wanted !== 'string') return findKnown(wanted, where, requester);
    if (where === null) return { refusal: words.nobody({ shown: wanted }) };
    const people = await readers.read(where);
    const channels = where.team === null ? [] : await listChannels(where, where.team);
    const [, linked, message = '', query = ''] = link.exec(wanted) ?? [];
    const id = linked === undefined ? null : decodeURIComponent(linked);
    const name = wanted.replace(/^#/, '').toLowerCase();
    const channel = channels.find((one) =>
      id === null ? one.name.toLowerCase() === name : one.id === id,
    );
    if (channel !== undefined && !wanted.startsWith('@')) {
      const root = new URLSearchParams(query).get('parentMessageId') ?? message;
      return enter(where, where, requester, channel, id === null ? null : root);
    }
    if (wanted.startsWith('#') || id !== null)
      return { refusal: words.noChannel({ shown: wanted }) };
    return findPerson(from, requester, wanted, people);
  };
}
