// Tables of the inbox: events are stored before they are acknowledged, and handled afterwards.
import { sql } from 'drizzle-orm';
import { bigint, bigserial, index, integer, jsonb, primaryKey, text } from 'drizzle-orm/pg-core';
import type { PlatformName } from '#domain/platform-name.ts';
import { at, bytes, countersign } from './columns.ts';

const threadColumns = () => ({
  platform: text('platform').$type<PlatformName>().notNull(),
  tenant: text('tenant').notNull(),
  thread: text('thread').notNull(),
});

/** An event is open until it was handled, or set aside as failed. */
export const inbox = countersign.table(
  'inbox',
  {
    /** Grows in the order of arrival: of two events, the one that was stored before the other came is lower. */
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    ...threadColumns(),
    kind: text('kind').notNull(),
    body: bytes('body').notNull(),
    received_at: at('received_at').notNull(),
    stored_at: at('stored_at').notNull().default(sql`clock_timestamp()`),
    /** Attempts. Settling names the attempt, and is refused when a later one exists. */
    attempt: integer('attempt').notNull().default(0),
    /** Tries that count against it: they failed, or never came back. */
    failures: integer('failures').notNull().default(0),
    /** Not before. */
    due_at: at('due_at').notNull().default(sql`clock_timestamp()`),
    error: text('error'),
    /** The code of the error for which it was set aside, or null if it was not, or before codes were kept. */
    error_code: text('error_code'),
    /** When somebody began to wait who notes that the reply has reached them; null: nobody waits, or before that was noted. */
    awaited_at: at('awaited_at'),
    /** The answer for the waiter of this event. */
    reply: jsonb('reply').$type<unknown>(),
    /** When that had reached them. */
    reply_read_at: at('reply_read_at'),
    handled_at: at('handled_at'),
    failed_at: at('failed_at'),
  },
  (t) => [
    index('inbox_open')
      .on(t.platform, t.tenant, t.thread, t.id)
      .where(sql`handled_at is null and failed_at is null`),
    index('inbox_handled').on(t.handled_at).where(sql`handled_at is not null`),
    index('inbox_failed').on(t.failed_at).where(sql`failed_at is not null`),
    // Wider than what is looked for, `awaited_at` too: a worker from before that needs it while all are brought up to date.
    index('inbox_unread')
      .on(t.handled_at)
      .where(sql`handled_at is not null and reply is not null and reply_read_at is null`),
  ],
);

/** The names of an event, each of which says that it is the same. */
export const inboxKeys = countersign.table(
  'inbox_keys',
  {
    platform: text('platform').$type<PlatformName>().notNull(),
    tenant: text('tenant').notNull(),
    key: text('key').notNull(),
    event_id: bigint('event_id', { mode: 'number' }).notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.platform, t.tenant, t.key] }),
    index('inbox_keys_event').on(t.event_id),
  ],
);

/** Who is at a thread now; nobody else takes its events until `lease_until`. */
export const inboxLeases = countersign.table(
  'inbox_leases',
  {
    ...threadColumns(),
    holder: text('holder').notNull(),
    lease_until: at('lease_until').notNull(),
  },
  (t) => [primaryKey({ columns: [t.platform, t.tenant, t.thread] })],
);
