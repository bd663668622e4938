// Delivery tables: chat places and the messages posted there.
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  unique,
} from 'drizzle-orm/pg-core';
import type { ChatPost, ShownStatus } from '#domain/chat/chat.ts';
import type { PlatformName } from '#domain/platform-name.ts';
import { at, countersign } from './columns.ts';

const count = (name: string) => bigint(name, { mode: 'number' }).notNull().default(0);

/** Work is due if `asked` exceeds `answered` or `due_at` has passed. */
export const chatPlaces = countersign.table(
  'chat_places',
  {
    conversation: text('conversation').primaryKey(),
    platform: text('platform').$type<PlatformName>().notNull(),
    tenant: text('tenant').notNull(),
    channel: text('channel').notNull(),
    thread: text('thread'),
    name: text('name'),
    /** The only reader's, or null if unknown or shared. */
    timezone: text('timezone'),
    /** The last message that was posted or given up. */
    delivered: count('delivered'),
    asked: count('asked'),
    answered: count('answered'),
    due_at: at('due_at'),
    /** Backoff requested by the platform. */
    not_before: at('not_before'),
    tries: integer('tries').notNull().default(0),
    /** Nothing can be posted until an operator fixes this. */
    broken: text('broken'),
    broken_at: at('broken_at'),
    status: jsonb('status').$type<ShownStatus>(),
    holder: text('holder'),
    lease_until: at('lease_until'),
  },
  (t) => [
    unique('chat_places_place').on(t.platform, t.tenant, t.channel, t.thread).nullsNotDistinct(),
    index('chat_places_waiting')
      .on(t.platform, t.conversation)
      .where(sql`(asked > answered or due_at is not null) and broken is null`),
    index('chat_places_broken').on(t.broken_at).where(sql`broken is not null`),
  ],
);

export const chatPosts = countersign.table(
  'chat_posts',
  {
    message_id: bigint('message_id', { mode: 'number' }).primaryKey(),
    conversation: text('conversation').notNull(),
    /** The card's subject: a plan, or the result of a planning turn. */
    plan_id: text('plan_id'),
    run_id: text('run_id'),
    run_turn: integer('run_turn'),
    /** Constant across attempts, so the platform can detect duplicates. */
    key: text('key').notNull(),
    state: text('state')
      .$type<'sending' | 'posted' | 'gone' | 'failed'>()
      .notNull()
      .default('sending'),
    post: jsonb('post').$type<ChatPost>(),
    live: boolean('live').notNull(),
    /** A newer card of the same plan exists below. */
    superseded: boolean('superseded').notNull().default(false),
    /** Change counter of its plan, and the value last drawn. */
    asked: count('asked'),
    answered: count('answered'),
    standing: text('standing'),
    /** More than progress changed since it was drawn. */
    urgent: boolean('urgent').notNull().default(true),
    /** A rate limit, or the next progress update. */
    not_before: at('not_before'),
    /** Digest of the content, or null while unknown. */
    shown: text('shown'),
    shown_at: at('shown_at'),
    /** Last known, 0 if none, or null if it has no plan or an older build posted it. */
    shown_version: integer('shown_version'),
    /** By the platform's clock, or a lower bound: earlier messages were written without having read it. */
    sent_at: at('sent_at'),
    /** A change with an unknown result may still land; redraw then. */
    redraw_at: at('redraw_at'),
    failures: integer('failures').notNull().default(0),
    failing_since: at('failing_since'),
    /** Posts that got through after they were given up; they must say so. */
    strays: jsonb('strays').$type<ChatPost[]>(),
    error: text('error'),
  },
  (t) => [
    index('chat_posts_live').on(t.plan_id).where(sql`live`),
    index('chat_posts_sessions')
      .on(t.conversation, t.message_id)
      .where(sql`live and run_id is not null`),
    index('chat_posts_stale')
      .on(t.conversation, t.message_id)
      .where(sql`asked > answered or state = 'sending' or redraw_at is not null`),
    index('chat_posts_failed').on(t.message_id).where(sql`error is not null`),
    index('chat_posts_resting')
      .on(t.shown_at)
      .where(sql`not live and asked <= answered and state <> 'sending'`),
    index('chat_posts_strays').on(t.conversation).where(sql`strays is not null`),
  ],
);

/** A person's open Home, drawn if `stale` or its lease expired. */
export const chatHomes = countersign.table(
  'chat_homes',
  {
    platform: text('platform').$type<PlatformName>().notNull(),
    tenant: text('tenant').notNull(),
    user: text('user').notNull(),
    opened_at: at('opened_at').notNull(),
    stale: boolean('stale').notNull().default(false),
    shown: text('shown'),
    not_before: at('not_before'),
    tries: integer('tries').notNull().default(0),
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
