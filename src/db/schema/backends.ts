// Tables of execution: back ends, resource pools and reservations.
import { sql } from 'drizzle-orm';
import { check, index, integer, jsonb, numeric, primaryKey, text } from 'drizzle-orm/pg-core';
import type { SharedSettings } from '#domain/settings.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { at, countersign } from './columns.ts';

/** Executors that are there: what they offer, and when they were last heard of. */
export const backends = countersign.table(
  'backends',
  {
    /** `<worker>/<name>`: the owner of its leases. */
    id: text('id').primaryKey(),
    name: text('name').notNull(),
    capabilities: text('capabilities').array().notNull(),
    /** Operations it runs. */
    operations: text('operations').array().notNull(),
    /** Calls at once. */
    concurrency: integer('concurrency').notNull(),
    /** Its operations as planners see them, for processes that do not have them. */
    manifest: jsonb('manifest').$type<OperationSpec[]>().notNull(),
    /** Version of its program, or null if it reports none. */
    version: text('version'),
    /** Settings of its process that hold for the whole instance, or null from an older program. */
    shared: jsonb('shared').$type<SharedSettings>(),
    /** The id of its workspace folder, or null from a program that did not say. */
    workspace: text('workspace'),
    seen_at: at('seen_at').notNull().defaultNow(),
    /** Since when it has been there without a break, with at least what it offers now. */
    since_at: at('since_at').notNull().defaultNow(),
  },
  (t) => [index('backends_seen').on(t.seen_at)],
);

/** Shared resources. `in_use` is the sum of the reservations, kept with them. */
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

/** Pool units held by running steps: written with the claim, removed when the attempt ends. */
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

/** The first step of each plan that a pool could not serve, and since when: small ones may not pass it forever. */
export const resourceWaits = countersign.table(
  'resource_waits',
  {
    pool: text('pool').notNull(),
    plan_id: text('plan_id').notNull(),
    position: integer('position').notNull(),
    amount: numeric('amount').notNull(),
    since: at('since').notNull().default(sql`clock_timestamp()`),
    /** When a worker last looked whether its turn had come. */
    touched_at: at('touched_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.pool, t.plan_id, t.position] })],
);
