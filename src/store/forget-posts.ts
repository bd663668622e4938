// Posts that nothing follows from any more.
import { sql } from 'drizzle-orm';
import type { Queryable } from './database.ts';

/**
 * Deletes at most `limit` posts that have been at rest for more than `days`: messages without a card, and cards whose plan
 * has ended or has a newer one. The messages themselves stay, on their platform and here. @returns how many
 */
export async function forgetRestingPosts(
  db: Queryable,
  days: number,
  limit: number,
): Promise<number> {
  const { rows } = await db.execute<{ gone: number }>(sql`
    with gone as (
      delete from countersign.chat_posts where message_id in (
        select message_id from countersign.chat_posts
        where not live and state <> 'sending' and asked <= answered
          and shown_at < clock_timestamp() - make_interval(days => ${days})
        order by shown_at limit ${limit} for update skip locked)
      returning 1
    )
    select count(*)::int as gone from gone`);
  return rows[0]?.gone ?? 0;
}
