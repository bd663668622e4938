// Readers of a conversation over HTTP: its participants, for channels its writers.
import { sql } from 'drizzle-orm';
import type { ConversationReader } from '#domain/chat/conversation-list.ts';
import { personKey } from '#domain/people/names.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';

type Facts = {
  id: string;
  chat: boolean;
  spoken: boolean;
  /** A participant signed in or has a personal token. */
  vouched: boolean;
  people: string[];
};

function readFacts(db: Queryable, ids: string[]): Promise<{ rows: Facts[] }> {
  return db.execute<Facts>(sql`
    with part as (
      select conversation as id, name from ${countersign}.messages
        where conversation = any(${sql.param(ids)}::text[]) and author = 'person'
      union select conversation, "user" from ${countersign}.runs where conversation = any(${sql.param(ids)}::text[])
      union select conversation, requester from ${countersign}.plans where conversation = any(${sql.param(ids)}::text[])
    )
    select given.id,
      exists (select from ${countersign}.chat_places c where c.conversation = given.id) as chat,
      exists (select from ${countersign}.messages m where m.conversation = given.id) as spoken,
      exists (select from ${countersign}.runs r where r.conversation = given.id and r.verified)
        or exists (select from ${countersign}.plans p where p.conversation = given.id and p.requester_verified)
        or exists (select from part join ${countersign}.signed_in s on part.name in (s.account, s.email) where part.id = given.id)
        or exists (select from part join ${countersign}.access_tokens t on t.account = part.name where part.id = given.id)
        as vouched,
      array(select name from part where part.id = given.id) as people
    from unnest(${sql.param(ids)}::text[]) as given(id)`);
}

const isRemindersOf = (id: string, { tenant, names }: ConversationReader): boolean =>
  names?.some((name) => id === `reminders:${name}` || id === `reminders:${tenant}:${name}`) ===
  true;

/** Keeps unused IDs too. */
export async function keepReadable(
  db: Queryable,
  ids: string[],
  reader: ConversationReader,
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const own = reader.names === null ? null : new Set(reader.names.map(personKey));
  const { rows } = await readFacts(db, ids);
  const readable = rows.filter(({ id, chat, spoken, vouched, people }) => {
    if (id.startsWith('reminders:')) return isRemindersOf(id, reader);
    if (people.length === 0) return !chat && !spoken;
    // A typed name proves nothing.
    if (own === null) return !chat && !vouched;
    return people.some((name) => own.has(personKey(name)));
  });
  return new Set(readable.map(({ id }) => id));
}
