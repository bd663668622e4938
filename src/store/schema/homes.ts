// Who has a Home open on a chat platform, so that it follows the plans while they look at it.
import { sql } from 'drizzle-orm';
import { boolean, index, integer, primaryKey, text } from 'drizzle-orm/pg-core';
import type { Platform } from '#contracts/inbox.ts';
import { at, countersign } from './columns.ts';

/** A person's Home; `stale`, or a lease that has run out: it is to be drawn. */
export const chatHomes = countersign.table(
  'chat_homes',
  {
    platform: text('platform').$type<Platform>().notNull(),
    tenant: text('tenant').notNull(),
    /** The platform's own name of the person. */
    user: text('user').notNull(),
    opened_at: at('opened_at').notNull(),
    stale: boolean('stale').notNull().default(false),
    /** Digest of what stands there; null while that is not known. */
    shown: text('shown'),
    /** It was drawn a moment ago, or the platform wants to be left alone. */
    not_before: at('not_before'),
    /** Tries in a row that failed. */
    tries: integer('tries').notNull().default(0),
    /** Somebody draws it now. */
    lease_until: at('lease_until'),
  },
  (t) => [
    primaryKey({ columns: [t.platform, t.tenant, t.user] }),
    index('chat_homes_opened').on(t.opened_at),
    index('chat_homes_stale')
      .on(t.platform, t.not_before)
      .where(sql`stale or lease_until is not null`),
  ],
);
