// Tables of delivery: where conversations live on chat platforms, and what was posted there.
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

/** A conversation and its thread; `asked` beyond `answered`, or a `due_at` that has passed: something is to be done there. */
export const chatPlaces = countersign.table(
  'chat_places',
  {
    conversation: text('conversation').primaryKey(),
    platform: text('platform').$type<PlatformName>().notNull(),
    tenant: text('tenant').notNull(),
    channel: text('channel').notNull(),
    thread: text('thread'),
    /** Its display name, if a plan posts there by name. */
    name: text('name'),
    /** The only reader's zone, or null if unknown or shared. */
    timezone: text('timezone'),
    /** The last message that was posted, or that nobody can post. */
    delivered: count('delivered'),
    asked: count('asked'),
    answered: count('answered'),
    /** When a card may be drawn again that was drawn a moment ago. */
    due_at: at('due_at'),
    /** The platform wants to be left alone until then. */
    not_before: at('not_before'),
    /** Tries in a row that failed. */
    tries: integer('tries').notNull().default(0),
    /** An operator must fix this before anything can be posted here again. */
    broken: text('broken'),
    broken_at: at('broken_at'),
    /** The status shown there during planning, or null for none. */
    status: jsonb('status').$type<ShownStatus>(),
    /** Who is at it now; nobody else posts or draws there until `lease_until`. */
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

/** A message of the bot on its platform. The row stands before the message is posted. */
export const chatPosts = countersign.table(
  'chat_posts',
  {
    message_id: bigint('message_id', { mode: 'number' }).primaryKey(),
    conversation: text('conversation').notNull(),
    /** The card's subject: a plan, or a planning session's result of one turn. */
    plan_id: text('plan_id'),
    run_id: text('run_id'),
    run_turn: integer('run_turn'),
    /** The same for every try, so that the platform tells whether one got through. */
    key: text('key').notNull(),
    state: text('state')
      .$type<'sending' | 'posted' | 'gone' | 'failed'>()
      .notNull()
      .default('sending'),
    post: jsonb('post').$type<ChatPost>(),
    /** Follows its plan, or its session. */
    live: boolean('live').notNull(),
    /** A newer card of the same plan stands below. */
    superseded: boolean('superseded').notNull().default(false),
    /** How often its plan changed, and up to which of these it was drawn. */
    asked: count('asked'),
    answered: count('answered'),
    /** The plan's state apart from step progress, at its last change. */
    standing: text('standing'),
    /** More than progress has changed since it was drawn. */
    urgent: boolean('urgent').notNull().default(true),
    /** Not sent before: a rate limit, or the turn of a progress update. */
    not_before: at('not_before'),
    /** Digest of what is shown; null while that is not known. */
    shown: text('shown'),
    shown_at: at('shown_at'),
    /** The version of the plan that the card was last known to show; 0: none, null: about no plan, or posted by an older build. */
    shown_version: integer('shown_version'),
    /** When it came to stand there by its platform's clock, or not before: messages written earlier were written without having read it. */
    sent_at: at('sent_at'),
    /** A change that nobody has the answer of may still land: then the card is drawn once more. */
    redraw_at: at('redraw_at'),
    /** Tries that count, since the last success. */
    failures: integer('failures').notNull().default(0),
    /** Since when tries fail by what passes; null: the last one did not. */
    failing_since: at('failing_since'),
    /** Second posts of the same message, which got through after they were given up; they are to say so. */
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

// Who has a Home open on a chat platform, so that it follows the plans while they look at it.

/** A person's Home; `stale`, or a lease that has run out: it is to be drawn. */
export const chatHomes = countersign.table(
  'chat_homes',
  {
    platform: text('platform').$type<PlatformName>().notNull(),
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
    /** A process is drawing it. */
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
