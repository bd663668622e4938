// Playbooks: saved plans that can be proposed again with other values.
import { sql } from 'drizzle-orm';
import { integer, jsonb, primaryKey, text } from 'drizzle-orm/pg-core';
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { PlaybookParameter } from '#domain/plan/playbook.ts';
import { at, countersign } from './columns.ts';

export const playbooks = countersign.table(
  'playbooks',
  {
    /** As for plans, but empty for the instance's. */
    tenant: text('tenant').notNull(),
    name: text('name').notNull(),
    owner: text('owner').notNull(),
    plan_id: text('plan_id').notNull(),
    draft: jsonb('draft').$type<PlanDraft>().notNull(),
    params: jsonb('params').$type<PlaybookParameter[]>().notNull(),
    total_steps: integer('total_steps').notNull(),
    version: integer('version').notNull().default(1),
    created_at: at('created_at').notNull().default(sql`clock_timestamp()`),
    updated_at: at('updated_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.tenant, t.name] })],
);
