// Inbox tables: events are stored, acknowledged, then handled.
import { sql } from 'drizzle-orm';
import { bigint, bigserial, index, integer, jsonb, primaryKey, text } from 'drizzle-orm/pg-core';
import type { PlatformName } from '#domain/platform-name.ts';
import { at, bytes, countersign } from './columns.ts';

const threadColumns = () => ({
  platform: text('platform').$type<PlatformName>().notNull(),
  tenant: text('tenant').notNull(),
  thread: text('thread').notNull(),
});

export const inbox = countersign.table(
  'inbox',
  {
    /** In order of arrival. */
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    ...threadColumns(),
    kind: text('kind').notNull(),
    body: bytes('body').notNull(),
    received_at: at('received_at').notNull(),
    stored_at: at('stored_at').notNull().default(sql`clock_timestamp()`),
    /** Settling names the attempt and is refused if a later one exists. */
    attempt: integer('attempt').notNull().default(0),
    /** Attempts that failed or never returned. */
    failures: integer('failures').notNull().default(0),
    due_at: at('due_at').notNull().default(sql`clock_timestamp()`),
    error: text('error'),
    /** Set if set aside, except before codes were stored. */
    error_code: text('error_code'),
    /** When a waiter that confirms the reply's receipt began to wait. */
    awaited_at: at('awaited_at'),
    reply: jsonb('reply').$type<unknown>(),
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
    // Wider than needed (`awaited_at` too): workers of the previous version use it during an upgrade.
    index('inbox_unread')
      .on(t.handled_at)
      .where(sql`handled_at is not null and reply is not null and reply_read_at is null`),
  ],
);

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

/** The exclusive handler of a thread's events until `lease_until`. */
export const inboxLeases = countersign.table(
  'inbox_leases',
  {
    ...threadColumns(),
    holder: text('holder').notNull(),
    lease_until: at('lease_until').notNull(),
  },
  (t) => [primaryKey({ columns: [t.platform, t.tenant, t.thread] })],
);
