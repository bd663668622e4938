// Tables of extensive planning: findings, parts and data requests.
import { sql } from 'drizzle-orm';
import {
  doublePrecision,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type {
  Evidence,
  FindingAction,
  FindingCategory,
  FindingStatus,
  Severity,
} from '#domain/plan/finding.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { DataRequestStatus } from '#domain/planning/data-request.ts';
import type { PartStatus, ScaffoldPart } from '#domain/planning/part.ts';
import type { JsonObject } from '#domain/text.ts';
import { at, countersign } from './columns.ts';
import { planId, plans } from './plans.ts';

export const planFindings = countersign.table(
  'plan_findings',
  {
    id: text('id').primaryKey(),
    plan_id: planId(),
    /** Deduplicates; chosen by its author. */
    key: text('key').notNull(),
    severity: text('severity').$type<Severity>().notNull(),
    category: text('category').$type<FindingCategory>().notNull(),
    message: text('message').notNull(),
    step_id: text('step_id'),
    partition: text('partition'),
    evidence: jsonb('evidence').$type<Evidence[]>().notNull().default([]),
    actions: text('actions').array().$type<FindingAction[]>().notNull().default([]),
    status: text('status').$type<FindingStatus>().notNull().default('open'),
    stale_steps: integer('stale_steps').notNull().default(0),
    replans: integer('replans').notNull().default(0),
    patch_id: text('patch_id'),
    raised_by: text('raised_by').notNull(),
    created_at: at('created_at').notNull().default(sql`clock_timestamp()`),
    settled_by: text('settled_by'),
    settled_at: at('settled_at'),
  },
  (t) => [
    uniqueIndex('plan_findings_key').on(t.plan_id, t.key),
    index('plan_findings_newest').on(t.plan_id, t.created_at, t.id),
    index('plan_findings_open')
      .on(t.plan_id)
      .where(sql`status in ('open', 'replanning', 'awaiting_approval')`),
    index('plan_findings_patch').on(t.patch_id).where(sql`patch_id is not null`),
  ],
);

export const planningParts = countersign.table(
  'planning_parts',
  {
    run_id: text('run_id').notNull(),
    turn: integer('turn').notNull(),
    part_id: text('part_id').notNull(),
    position: integer('position').notNull(),
    scaffold: jsonb('scaffold').$type<ScaffoldPart>().notNull(),
    status: text('status').$type<PartStatus>().notNull().default('waiting'),
    /** Planners started; the last number is the fencing token. */
    attempt: integer('attempt').notNull().default(0),
    lease_until: at('lease_until'),
    steps: jsonb('steps').$type<StepDraft[]>(),
    step_count: integer('step_count').notNull().default(0),
    /** The assumptions made, or why it could not be planned. */
    message: text('message'),
    cost_usd: doublePrecision('cost_usd').notNull().default(0),
    updated_at: at('updated_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.run_id, t.turn, t.part_id] })],
);

export const planRequests = countersign.table(
  'plan_requests',
  {
    id: text('id').primaryKey(),
    run_id: text('run_id').notNull(),
    plan_id: text('plan_id').references(() => plans.id, { onDelete: 'cascade' }),
    key: text('key').notNull(),
    operation: text('operation').notNull(),
    args: jsonb('args').$type<JsonObject>().notNull(),
    purpose: text('purpose').notNull(),
    status: text('status').$type<DataRequestStatus>().notNull().default('open'),
    artifact_id: text('artifact_id'),
    summary: text('summary'),
    created_at: at('created_at').notNull().default(sql`clock_timestamp()`),
    fulfilled_at: at('fulfilled_at'),
  },
  (t) => [
    uniqueIndex('plan_requests_key').on(t.run_id, t.key),
    index('plan_requests_plan').on(t.plan_id),
  ],
);
