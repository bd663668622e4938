// Execution tables: back ends, resource pools and reservations.
import { sql } from 'drizzle-orm';
import { check, index, integer, jsonb, numeric, primaryKey, text } from 'drizzle-orm/pg-core';
import type { SharedSettings } from '#domain/settings.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { at, countersign } from './columns.ts';

export const backends = countersign.table(
  'backends',
  {
    /** `<worker>/<name>`, which owns its leases. */
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    capabilities: text('capabilities').array().notNull(),
    operations: text('operations').array().notNull(),
    concurrency: integer('concurrency').notNull(),
    /** For processes that don't load the operations. */
    manifest: jsonb('manifest').$type<OperationSpec[]>().notNull(),
    version: text('version'),
    /** Null from an older program. */
    shared: jsonb('shared').$type<SharedSettings>(),
    workspace: text('workspace'),
    seen_at: at('seen_at').notNull().defaultNow(),
    /** Continuously alive since then, offering at least the current operations. */
    since_at: at('since_at').notNull().defaultNow(),
  },
  (t) => [index('backends_seen').on(t.seen_at)],
);

/** `in_use` is the sum of the reservations. */
export const resourcePools = countersign.table(
  'resource_pools',
  {
    name: text('name').primaryKey(),
    capacity: numeric('capacity').notNull(),
    headroom: numeric('headroom').notNull().default('0'),
    in_use: numeric('in_use').notNull().default('0'),
  },
  (t) => [check('resource_pools_in_use', sql`${t.in_use} >= 0`)],
);

/** Written with the claim, deleted when the attempt ends. */
export const reservations = countersign.table(
  'reservations',
  {
    plan_id: text('plan_id').notNull(),
    position: integer('position').notNull(),
    pool: text('pool').notNull(),
    amount: numeric('amount').notNull(),
    since: at('since').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.plan_id, t.position, t.pool] })],
);

/** The first step of each plan that a pool could not serve; smaller ones may not overtake it forever. */
export const resourceWaits = countersign.table(
  'resource_waits',
  {
    pool: text('pool').notNull(),
    plan_id: text('plan_id').notNull(),
    position: integer('position').notNull(),
    amount: numeric('amount').notNull(),
    since: at('since').notNull().default(sql`clock_timestamp()`),
    touched_at: at('touched_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.pool, t.plan_id, t.position] })],
);
