// Mentions members in a line above the card.
import { z } from 'zod';
import { escapeMacros } from '#cards/plain.ts';
import type { ChatPlace, Mention, Reached } from '#domain/chat/chat.ts';
import type { TeamsConversation } from '#domain/chat/teams-conversation.ts';
import { CountersignError } from '#domain/errors.ts';
import { personKey } from '#domain/people/names.ts';
import { cleanLine, cutText } from '#domain/shown-text.ts';
import type { Reader } from './members.ts';

type Named = { name: string; shown: string; known: Reader | null };
export type Mentioned = { people: Named[]; words: string };

const maxName = 60;

/** Escaped for `<at>` and `</at>`. */
function nameOf({ shown, known }: Named): string {
  const bare = cleanLine(known?.name ?? shown).replace(/[<>&*_[\]()`~#|\\]/g, ' ');
  return cutText(bare.replace(/\s+/g, ' ').trim(), maxName) || 'somebody';
}

/** Null if none is a member. @param everyNameOf all accounts of the same person */
export async function findMentioned(
  mention: Mention | undefined,
  members: () => Promise<readonly Reader[]>,
  everyNameOf: (name: string) => Promise<string[]>,
): Promise<Mentioned | null> {
  if (mention === undefined) return null;
  const byAccount = new Map((await members()).map((one) => [personKey(one.account), one]));
  const people = await Promise.all(
    mention.people.map(async ({ name, shown }) => {
      const names = await everyNameOf(name);
      const known = names.flatMap((one) => byAccount.get(personKey(one)) ?? [])[0] ?? null;
      return { name, shown, known };
    }),
  );
  return people.some(({ known }) => known !== null) ? { people, words: mention.words } : null;
}

const Card = z.looseObject({ type: z.literal('AdaptiveCard'), body: z.array(z.unknown()) });

/** @param aloud Teams notifies them, on new messages only */
export function addMention(card: unknown, { people, words }: Mentioned, aloud: boolean): object {
  const { body, ...rest } = Card.parse(card);
  const tags = people.map((one) => {
    const name = escapeMacros(nameOf(one));
    return aloud && one.known !== null ? `<at>${name}</at>` : name;
  });
  const entities = people.flatMap((one) => {
    if (one.known === null || !aloud) return [];
    const name = nameOf(one);
    const text = `<at>${escapeMacros(name)}</at>`;
    return [{ type: 'mention', text, mentioned: { id: one.known.id, name } }];
  });
  return {
    ...rest,
    body: [{ type: 'TextBlock', text: `${tags.join(', ')}: ${words}`, wrap: true }, ...body],
    ...(entities.length === 0 ? {} : { msteams: { entities } }),
  };
}

export function linkTo({ tenant, channel, thread }: ChatPlace, message: string): string {
  const query = new URLSearchParams(
    thread === null
      ? { tenantId: tenant, context: '{"contextType":"chat"}' }
      : { tenantId: tenant, parentMessageId: thread },
  );
  return `https://teams.microsoft.com/l/message/${encodeURIComponent(channel)}/${message}?${query}`;
}

/** @throws transient errors unless `tried`: the message waits once */
export async function reachEach(
  { people }: Mentioned,
  findChat: (person: string) => Promise<TeamsConversation>,
  { timezone, tried }: { timezone: string; tried: boolean },
): Promise<Reached[]> {
  const reached: Reached[] = [];
  for (const { name, known } of people) {
    if (known === null) continue;
    try {
      const { tenant, channel, ...chat } = await findChat(known.id);
      const place: ChatPlace = { platform: 'teams', tenant, channel, thread: null };
      reached.push({ name, place, timezone: chat.timezone ?? timezone });
    } catch (error) {
      // Without the app, only the mention remains.
      if (!(error instanceof CountersignError)) throw error;
      if (error.passesAfterMs !== null && !tried) throw error;
      reached.push({ name, place: null, timezone: null });
    }
  }
  return reached;
}
