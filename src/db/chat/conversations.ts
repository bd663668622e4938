// Lists conversations outside chat platforms.
import { type SQL, sql } from 'drizzle-orm';
import type { ConversationPage } from '#domain/chat/conversation-list.ts';
import { onOneLine } from '#domain/words.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { isoOf } from '../time.ts';

const maxTitle = 80;

/** Cursor: last message time (µs since 1970) and conversation of the previous page. */
function comesAfter(cursor: string | undefined): SQL {
  if (cursor === undefined) return sql`true`;
  const [, micros = '', id = ''] =
    /^(\d{1,17}) (.*)$/s.exec(decodeCursor(cursor, /^\d{1,17} .{1,300}$/s)) ?? [];
  return sql`(micros, id) < (${micros}::bigint, ${id}::text)`;
}

/** Latest message first. @param names only with their requests; null for all @param tenant null for all */
export async function listConversations(
  db: Queryable,
  {
    names,
    tenant,
    cursor,
    limit,
  }: { names: string[] | null; tenant: string | null; cursor?: string; limit: number },
): Promise<ConversationPage> {
  const by = (column: SQL) =>
    names === null ? sql`true` : sql`${column} = any(${sql.param(names)}::text[])`;
  const isOurs = tenant === null ? sql`true` : sql`tenant = ${tenant}`;
  const { rows } = await db.execute<{
    id: string;
    micros: string;
    last_at: string;
    title: string;
    kind: string;
    person: string;
    plans: number;
    running: number;
  }>(sql`
    with asked as (
      select conversation from ${countersign}.runs where ${by(sql`"user"`)} and ${isOurs}
      union select conversation from ${countersign}.plans where conversation is not null and ${by(sql`requester`)} and ${isOurs}
    ),
    spoken as (
      select a.conversation as id, last.created_at, (extract(epoch from last.created_at) * 1000000)::bigint as micros
      from asked a cross join lateral (
        select m.created_at, m.tenant from ${countersign}.messages m where m.conversation = a.conversation order by m.id desc limit 1
      ) last
      where not exists (select from ${countersign}.chat_places c where c.conversation = a.conversation)
        and (${tenant}::text is null or coalesce(last.tenant, ${tenant}) = ${tenant})
    ),
    page as (
      select * from spoken where ${comesAfter(cursor)} order by micros desc, id desc limit ${limit + 1}
    )
    select page.id, micros::text, ${isoOf('page.created_at', 'milliseconds')} as last_at,
      coalesce(first.text, made.title, '') as title, coalesce(begun.via, 'api') as kind,
      coalesce(begun.person, made.requester, '') as person, made.plans, made.running
    from page
    left join lateral (
      select left(m.text, 1000) as text from ${countersign}.messages m
      where m.conversation = page.id and m.author = 'person' order by m.id limit 1
    ) first on true
    left join lateral (
      select r.via, r."user" as person from ${countersign}.runs r where r.conversation = page.id order by r.created_at limit 1
    ) begun on true
    cross join lateral (
      select (array_agg(p.title order by p.created_at))[1] as title,
        (array_agg(p.requester order by p.created_at))[1] as requester, count(*)::int as plans, (count(*) filter (where p.status in ('approved', 'executing')))::int as running
      from ${countersign}.plans p where p.conversation = page.id
    ) made
    order by page.micros desc, page.id desc`);
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    conversations: page.map(({ micros: _, title, ...row }) => ({
      ...row,
      title: onOneLine(title, maxTitle),
    })),
    next_cursor:
      rows.length > limit && last !== undefined ? encodeCursor(`${last.micros} ${last.id}`) : null,
  };
}
