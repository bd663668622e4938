// Execution tables: back ends, resource pools and reservations.
import { sql } from 'drizzle-orm';
import { check, index, integer, jsonb, numeric, primaryKey, text } from 'drizzle-orm/pg-core';
import type { SharedSettings } from '#domain/settings.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { at, countersign } from './columns.ts';

/** Live executors, what they offer and their last heartbeat. */
export const backends = countersign.table(
  'backends',
  {
    /** `<worker>/<name>`, which owns its leases. */
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    capabilities: text('capabilities').array().notNull(),
    operations: text('operations').array().notNull(),
    /** Maximum parallel calls. */
    concurrency: integer('concurrency').notNull(),
    /** Operations as planners see them, for processes that don't load them. */
    manifest: jsonb('manifest').$type<OperationSpec[]>().notNull(),
    /** Program version, or null if not reported. */
    version: text('version'),
    /** Instance-wide settings of its process, or null from an older program. */
    shared: jsonb('shared').$type<SharedSettings>(),
    /** Workspace folder ID, or null if not reported. */
    workspace: text('workspace'),
    seen_at: at('seen_at').notNull().defaultNow(),
    /** Continuously alive since then, offering at least the current operations. */
    since_at: at('since_at').notNull().defaultNow(),
  },
  (t) => [index('backends_seen').on(t.seen_at)],
);

/** Shared resources. `in_use` is the sum of the reservations. */
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

/** Pool units held by running steps: written with the claim, deleted when the attempt ends. */
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

/** The first step of each plan that a pool could not serve; later, smaller ones may not overtake it forever. */
export const resourceWaits = countersign.table(
  'resource_waits',
  {
    pool: text('pool').notNull(),
    plan_id: text('plan_id').notNull(),
    position: integer('position').notNull(),
    amount: numeric('amount').notNull(),
    since: at('since').notNull().default(sql`clock_timestamp()`),
    /** Last check by a worker whether it can run. */
    touched_at: at('touched_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.pool, t.plan_id, t.position] })],
);
