// Tables of webhooks: endpoints and deliveries.
import { sql } from 'drizzle-orm';
import { bigserial, boolean, index, integer, jsonb, text, uniqueIndex } from 'drizzle-orm/pg-core';
import type { JsonObject } from '#domain/text.ts';
import type { WebhookEvent } from '#domain/webhook.ts';
import { at, countersign } from './columns.ts';

/** As set for the worker started last. Its secrets are never stored. */
export const webhookEndpoints = countersign.table('webhook_endpoints', {
  id: text('id').primaryKey(),
  url: text('url').notNull(),
  events: text('events').array().$type<WebhookEvent[]>(),
  /** Organisations it hears of, if several share the instance; null: plans without one, and the owners'. */
  organisations: text('organisations').array(),
  shared: boolean('shared').notNull().default(false),
  /** Consecutive, over all deliveries. */
  failures: integer('failures').notNull().default(0),
  not_before: at('not_before'),
  last_error: text('last_error'),
  last_error_at: at('last_error_at'),
  last_ok_at: at('last_ok_at'),
  /** It answered 410. */
  gone_at: at('gone_at'),
  /** The exclusive sender until `lease_until`. */
  holder: text('holder'),
  lease_until: at('lease_until'),
});

export const webhookDeliveries = countersign.table(
  'webhook_deliveries',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    endpoint: text('endpoint').notNull(),
    /** The same for every endpoint and try. */
    message: text('message').notNull(),
    type: text('type').$type<WebhookEvent>().notNull(),
    plan_id: text('plan_id').notNull(),
    data: jsonb('data').$type<JsonObject>().notNull(),
    /** Deduplicates notices from several processes. */
    once: text('once'),
    created_at: at('created_at').notNull().default(sql`clock_timestamp()`),
    tries: integer('tries').notNull().default(0),
    due_at: at('due_at').notNull().default(sql`clock_timestamp()`),
    until: at('until').notNull().default(sql`clock_timestamp() + interval '1 day'`),
    state: text('state').$type<'open' | 'delivered' | 'failed'>().notNull().default('open'),
    ended_at: at('ended_at'),
    error: text('error'),
  },
  (t) => [
    uniqueIndex('webhook_deliveries_once').on(t.endpoint, t.once),
    index('webhook_deliveries_open').on(t.endpoint, t.plan_id, t.id).where(sql`state = 'open'`),
    index('webhook_deliveries_failed').on(t.endpoint).where(sql`state = 'failed'`),
    index('webhook_deliveries_ended').on(t.ended_at).where(sql`ended_at is not null`),
  ],
);
