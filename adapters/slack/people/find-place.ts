// Resolves names and links of channels, people and threads for posting.
import { z } from 'zod';
import { placeWords as words } from '#cards/chat-words.ts';
import type { FindPlace, FoundPlace } from '#domain/chat/find-place.ts';
import type { Clock } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import { foldName } from '#domain/people/names.ts';
import { createRecent, type Recent, shareByKey } from '#domain/recent.ts';
import type { Ask } from '../calls/hold.ts';
import { placeOf } from '../signals/name-signal.ts';
import type { ClientOf } from '../workspaces.ts';
import type { Reach } from './reach.ts';

const pageSize = 1000;
const maxPages = 10;
const keptForMs = 10 * 60_000;
/** Older lists may miss new names or list former members. */
const freshForMs = 30_000;
const maxKept = 200;

const Channel = z.object({
  id: z.string(),
  name: z.string().default(''),
  is_archived: z.boolean().default(false),
  /** Missing for group direct messages. */
  is_member: z.boolean().nullish(),
  is_mpim: z.boolean().default(false),
  /** Unless Slack says otherwise. */
  is_private: z.boolean().default(true),
});
type Channel = z.infer<typeof Channel>;
const User = z.object({
  id: z.string(),
  deleted: z.boolean().default(false),
  is_bot: z.boolean().default(false),
  name: z.string().default(''),
  real_name: z.string().nullish(),
  tz: z.string().nullish(),
  profile: z.object({ display_name: z.string().default('') }).default({ display_name: '' }),
});
type User = z.infer<typeof User>;

/** Includes the thread if it is a reply. */
const link =
  /^<?https:\/\/[\w.-]+\.slack\.com\/archives\/([CG][A-Z0-9]+)\/p(\d{10})(\d{6})(?:\?(?:[^ ]{0,200}&)?thread_ts=(\d{10}\.\d{6}))?/;

/** `at`: when requested. */
type Cache<T> = Recent<{ list: Promise<T>; at: number }>;

const shownAs = ({ profile, real_name, name }: User): string =>
  [profile.display_name, real_name ?? '', name].find((one) => one.trim() !== '') ?? name;

export function createFindPlace({
  clientOf,
  ask,
  reach,
  clock,
}: {
  clientOf: ClientOf;
  ask: Ask;
  reach: Reach;
  clock: Clock;
}): FindPlace {
  const rule = { keep: maxKept, forMs: keptForMs, clock };
  const channels: Cache<Channel[]> = createRecent(rule);
  const users: Cache<User[]> = createRecent(rule);
  const brief = { keep: maxKept, forMs: freshForMs, clock };
  const members = createRecent<Promise<ReadonlySet<string>>>(brief);

  async function readPages<T>(
    call: { team: string; method: string; action: string },
    read: (cursor: string) => Promise<{
      items: T[] | undefined;
      response_metadata?: { next_cursor?: string } | undefined;
    }>,
  ): Promise<T[]> {
    const found: T[] = [];
    let cursor = '';
    for (let page = 0; page < maxPages; page++) {
      const { items = [], response_metadata } = await ask({ ...call, channel: null }, () =>
        read(cursor),
      );
      found.push(...items);
      cursor = response_metadata?.next_cursor ?? '';
      if (cursor === '') break;
    }
    return found;
  }

  /** Callers share a list; failures are not kept. */
  function keep<T>(cache: Cache<T>, key: string, read: () => Promise<T>): Promise<T> {
    const kept = cache.get(key);
    if (kept !== undefined) return kept.list;
    const list = read();
    cache.set(key, { list, at: clock.now().getTime() });
    list.catch(() => cache.delete(key));
    return list;
  }

  /** Looks in a fresh list if the cached one is old. */
  async function findIn<T, R>(
    cache: Cache<T>,
    key: string,
    list: () => Promise<T>,
    find: (list: T) => R | undefined,
  ): Promise<R | undefined> {
    const at = cache.get(key)?.at ?? null;
    const found = find(await list());
    if (found !== undefined || at === null || clock.now().getTime() - at < freshForMs) return found;
    cache.delete(key);
    return find(await list());
  }

  const listChannels = (team: string) =>
    keep(channels, team, async () => {
      const client = await clientOf(team);
      const call = { team, method: 'conversations.list', action: 'list channels' };
      const types = 'public_channel,private_channel';
      const found = await readPages(call, async (cursor) => {
        const { channels: items, response_metadata } = await client.conversations.list({
          ...{ types, limit: pageSize, exclude_archived: true },
          ...(cursor === '' ? {} : { cursor }),
        });
        return { items, response_metadata };
      });
      return z.array(Channel).parse(found);
    });

  const listUsers = (team: string) =>
    keep(users, team, async () => {
      const client = await clientOf(team);
      const call = { team, method: 'users.list', action: 'list people' };
      const found = await readPages(call, async (cursor) => {
        const { members: items, response_metadata } = await client.users.list({
          limit: pageSize,
          ...(cursor === '' ? {} : { cursor }),
        });
        return { items, response_metadata };
      });
      return z
        .array(User)
        .parse(found)
        .filter((one) => !one.deleted && !one.is_bot);
    });

  const listMembers = (team: string, channel: string) =>
    shareByKey(members, `${team}:${channel}`, async () => {
      const client = await clientOf(team);
      const call = { team, method: 'conversations.members', action: 'say who is in a channel' };
      const found = await readPages(call, async (cursor) => {
        const { members: items, response_metadata } = await client.conversations.members({
          ...{ channel, limit: pageSize },
          ...(cursor === '' ? {} : { cursor }),
        });
        return { items, response_metadata };
      });
      return new Set(found);
    });

  type Found = FoundPlace | { refusal: string };

  async function isIn(team: string, requester: string, channel: string): Promise<boolean> {
    const own = await reach.find(team, requester);
    return own !== null && (await listMembers(team, channel)).has(own.user);
  }

  /** Null for private channels the requester is not in. */
  async function enter(
    team: string,
    requester: string,
    { id, name, is_member, is_mpim, is_archived, is_private }: Channel,
    thread: string | null,
  ): Promise<Found | null> {
    const shown = `#${name}`;
    const isMember = is_member ?? is_mpim;
    if (is_private && !(isMember && (await isIn(team, requester, id)))) return null;
    if (is_archived) return { refusal: words.archived({ shown }) };
    if (!isMember) return { refusal: words.notIn({ shown }) };
    if (!is_private && !(await isIn(team, requester, id)))
      return { refusal: words.requesterNotIn({ shown }) };
    const place = placeOf(team, id, thread);
    return { place, name: thread === null ? shown : words.threadIn({ shown }) };
  }

  async function findById(team: string, id: string): Promise<Channel | null> {
    const client = await clientOf(team);
    const call = { team, method: 'conversations.info', channel: null, action: 'name a channel' };
    try {
      const { channel } = await ask(call, () => client.conversations.info({ channel: id }));
      return Channel.parse(channel);
    } catch (error) {
      if (error instanceof CountersignError && error.code === 'not_found') return null;
      throw error;
    }
  }

  async function findPerson(team: string, requester: string, wanted: string): Promise<Found> {
    const shown = wanted.replace(/^@/, '');
    const account = shown === 'me' ? requester : shown;
    const byAccount =
      shown === 'me' || /\S@\S|:/.test(shown) ? await reach.find(team, account) : null;
    const folded = foldName(shown);
    const matching = (await listUsers(team)).filter((user) =>
      byAccount === null
        ? [user.profile.display_name, user.real_name ?? '', user.name].some(
            (name) => name !== '' && foldName(name) === folded,
          )
        : user.id === byAccount.user,
    );
    const [person] = matching;
    if (person === undefined) return { refusal: words.nobody({ shown: wanted }) };
    if (matching.length > 1) return { refusal: words.severalPeople({ shown }) };
    const { id, tz } = person;
    const place = await reach.openDirect(team, { user: id, timezone: tz ?? 'UTC' });
    const name = shownAs(person);
    return place === null ? { refusal: words.noDirect({ shown: name }) } : { place, name };
  }

  return async ({ tenant: team }, requester, wanted) => {
    if (typeof wanted !== 'string') {
      const { tenant, channel: known, thread } = wanted;
      const channel = await findById(tenant, known);
      return channel && enter(tenant, requester, channel, thread);
    }
    const none = { refusal: words.noChannel({ shown: wanted }) };
    const [, linked, seconds, rest, thread] = link.exec(wanted) ?? [];
    const id = linked ?? /^<?#?([CG][A-Z0-9]{8,})(?:\||>|$)/.exec(wanted)?.[1];
    if (id !== undefined) {
      const channel = await findById(team, id);
      const root = linked === undefined ? null : (thread ?? `${seconds}.${rest}`);
      return (channel && (await enter(team, requester, channel, root))) ?? none;
    }
    const name = wanted.replace(/^#/, '').toLowerCase();
    if (!wanted.startsWith('@')) {
      const channel = await findIn(
        channels,
        team,
        () => listChannels(team),
        (list) => list.find((one) => one.name.toLowerCase() === name),
      );
      const found = channel && (await enter(team, requester, channel, null));
      if (found) return found;
      if (wanted.startsWith('#')) return none;
    }
    return findPerson(team, requester, wanted);
  };
}
