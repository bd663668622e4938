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

/** Who did what, by which way, and why it was allowed or refused. Only ever appended to. */
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

/**
 * A hash over a run of audit rows and over the seal before it, so that a later change of either shows. Written by
 * `audit-seals.ts`, checked by `audit-verify.ts`; a trigger keeps both tables append-only.
 */
export const auditSeals = countersign.table('audit_seals', {
  /** 1, 2, 3, without a gap. */
  seq: bigint('seq', { mode: 'number' }).primaryKey(),
  first_id: bigint('first_id', { mode: 'number' }).notNull(),
  last_id: bigint('last_id', { mode: 'number' }).notNull(),
  count: integer('count').notNull(),
  /** Over the rows' digests, in the order of their ids (hex). */
  root: text('root').notNull(),
  /** The hash of the seal before; empty: this is the first. */
  previous: text('previous').notNull(),
  /** The key behind `hash`, or null if none: then a database owner could recompute it. */
  key_id: text('key_id'),
  hash: text('hash').notNull(),
  /** The youngest row's time. */
  newest_at: at('newest_at').notNull(),
  sealed_at: at('sealed_at').notNull(),
  /** 16 bytes a row (its id, and the first 8 bytes of its digest): which row was changed, not whether one was. */
  marks: bytes('marks').notNull(),
  /** Retention removed the rows up to here, and signs for it, or null if they are there. */
  pruned: text('pruned'),
});

/** Data too large for a row or a card: files made, outputs over the inline limit. */
export const artifacts = countersign.table(
  'artifacts',
  {
    id: text('id').primaryKey(),
    /** No foreign key: the trigger `forget_plan` or retention removes them, in parts where they are many. */
    plan_id: text('plan_id'),
    /** The planning run that fetched it. */
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

/** Model costs of running plans as versions before migration 0040 book them: read while those may run, then dropped. */
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
