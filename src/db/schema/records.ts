// The audit log with its seals, artifacts, and former spending.
import { sql } from 'drizzle-orm';
import {
  bigint,
  bigserial,
  doublePrecision,
  index,
  integer,
  jsonb,
  text,
} from 'drizzle-orm/pg-core';
import type { Actor } from '#domain/people/actor.ts';
import type { JsonObject } from '#domain/text.ts';
import { at, bytes, countersign } from './columns.ts';

export const audit = countersign.table(
  'audit',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    at: at('at').notNull().default(sql`clock_timestamp()`),
    plan_id: text('plan_id'),
    actor: text('actor').notNull(),
    actor_kind: text('actor_kind').$type<Actor['kind']>().notNull(),
    via: text('via').notNull(),
    action: text('action').notNull(),
    version: integer('version'),
    digest: text('digest'),
    reason: text('reason'),
    data: jsonb('data').$type<JsonObject>(),
  },
  (t) => [index('audit_plan').on(t.plan_id, t.id)],
);

/** Written by `audit/seals.ts`, checked by `audit/verify.ts`; a trigger keeps both tables append-only. */
export const auditSeals = countersign.table('audit_seals', {
  seq: bigint('seq', { mode: 'number' }).primaryKey(),
  first_id: bigint('first_id', { mode: 'number' }).notNull(),
  last_id: bigint('last_id', { mode: 'number' }).notNull(),
  count: integer('count').notNull(),
  /** Hex, over the rows' digests in ID order. */
  root: text('root').notNull(),
  /** The previous seal's hash; empty for the first. */
  previous: text('previous').notNull(),
  /** The key of `hash`, or null if unkeyed: a database owner could then recompute it. */
  key_id: text('key_id'),
  hash: text('hash').notNull(),
  newest_at: at('newest_at').notNull(),
  sealed_at: at('sealed_at').notNull(),
  /** 16 bytes a row (ID and first 8 bytes of its digest): tells which row changed, not whether one did. */
  marks: bytes('marks').notNull(),
  /** Retention's signature for removing the rows up to here. */
  pruned: text('pruned'),
});

export const artifacts = countersign.table(
  'artifacts',
  {
    id: text('id').primaryKey(),
    /** No foreign key: `forget_plan` or retention removes them, in batches if there are many. */
    plan_id: text('plan_id'),
    run_id: text('run_id'),
    step_id: text('step_id'),
    name: text('name').notNull(),
    media_type: text('media_type').notNull(),
    size: integer('size').notNull(),
    sha256: text('sha256').notNull(),
    content: bytes('content').notNull(),
    created_at: at('created_at').notNull().defaultNow(),
  },
  (t) => [
    index('artifacts_plan').on(t.plan_id),
    index('artifacts_run').on(t.run_id).where(sql`run_id is not null`),
  ],
);

/** Costs from before migration 0040: read while such versions may run, then dropped. */
export const spending = countersign.table(
  'spending',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    at: at('at').notNull().default(sql`clock_timestamp()`),
    plan_id: text('plan_id'),
    run_id: text('run_id'),
    usd: doublePrecision('usd').notNull(),
  },
  (t) => [index('spending_at').on(t.at)],
);
