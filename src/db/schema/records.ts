// Tables beside plans: audit, artifacts and spending.
import { sql } from 'drizzle-orm';
import { bigserial, doublePrecision, index, integer, jsonb, text } from 'drizzle-orm/pg-core';
import type { Actor } from '#domain/people/actor.ts';
import type { JsonObject } from '#domain/text.ts';
import { at, bytes, countersign } from './columns.ts';
import { plans } from './plans.ts';

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

/** Data too large for a row or a card: files made, outputs over the inline limit. */
export const artifacts = countersign.table(
  'artifacts',
  {
    id: text('id').primaryKey(),
    plan_id: text('plan_id').references(() => plans.id, { onDelete: 'cascade' }),
    /** Of what was fetched while planning: the run that asked for it. */
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

/** Money spent on models outside planning runs, for the budget of the day. */
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
