// Plan tables. Hot state is on `plans`, text in `plan_versions`.
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { Role } from '#domain/people/principal.ts';
import type { PinnedOperation } from '#domain/plan/patch.ts';
import type { PatchStatus } from '#domain/plan/patch-outcome.ts';
import type {
  ApproverPolicy,
  PlanContext,
  PlanStatus,
  Rejection,
  Risk,
  Series,
} from '#domain/plan/plan.ts';
import type { JsonObject } from '#domain/text.ts';
import { at, counters, countersign } from './columns.ts';

export const plans = countersign.table(
  'plans',
  {
    id: text('id').primaryKey(),
    status: text('status').$type<PlanStatus>().notNull(),
    version: integer('version').notNull(),
    digest: text('digest').notNull(),
    revision: bigint('revision', { mode: 'number' }).notNull(),
    total: integer('total').notNull(),
    ...counters,
    title: text('title').notNull(),
    requester: text('requester').notNull(),
    /** By chat, sign-in or a personal token. */
    requester_verified: boolean('requester_verified').notNull().default(false),
    /** `slack:T…`, `teams:GUID`, a provider's, or null for the instance's. */
    tenant: text('tenant'),
    approver_policy: jsonb('approver_policy').$type<ApproverPolicy>().notNull(),
    conversation: text('conversation'),
    run_id: text('run_id'),
    planner_model: text('planner_model').notNull(),
    agent: text('agent'),
    executor_model: text('executor_model'),
    tools_required: text('tools_required').array().notNull(),
    guarded_operations: text('guarded_operations').array().notNull(),
    /** By operation: digests of its server, description and schema at proposal. */
    operation_digests: jsonb('operation_digests')
      .$type<Record<string, string>>()
      .notNull()
      .default({}),
    pattern_type: text('pattern_type'),
    pattern_subtype: text('pattern_subtype'),
    pattern_variant: text('pattern_variant'),
    rejection_history: jsonb('rejection_history').$type<Rejection[]>().notNull().default([]),
    decided_by: text('decided_by'),
    decided_at: at('decided_at'),
    paused_at: at('paused_at'),
    /** Every claim compares it with `digest`. */
    approved_digest: text('approved_digest'),
    /** Some edges (SS, SF) are met by a step's start, so claiming must check. */
    has_start_edges: boolean('has_start_edges').notNull().default(false),
    pools: text('pools').array().notNull().default([]),
    /** Every step needs a person's confirmation before it runs. */
    confirm_each: boolean('confirm_each').notNull().default(false),
    /** Keeps the plan open without steps until its last series ends. */
    open_until: at('open_until'),
    /** Written by a trigger on `plan_patches`, for the generated columns and the previous version's processes. */
    pending_patch: text('pending_patch'),
    revising: boolean('revising').notNull().default(false),
    confidence: doublePrecision('confidence'),
    cost_usd: doublePrecision('cost_usd').notNull().default(0),
    execution_started_at: at('execution_started_at'),
    execution_ended_at: at('execution_ended_at'),
    result_summary: text('result_summary'),
    /** W3C, of its last move (planning turn, then decision); null if untraced. */
    traceparent: text('traceparent'),
    created_at: at('created_at').notNull().defaultNow(),
    updated_at: at('updated_at').notNull().defaultNow(),
    /** May wait for a person. Findings have their own rows and don't count. */
    attention: boolean('attention').generatedAlwaysAs(
      sql`status in ('proposed', 'needs_review', 'stalled') or revising or pending_patch is not null
        or status = 'executing' and waiting + unknown > 0`,
    ),
    /** The inbox group of an ended plan. */
    ended_as: text('ended_as')
      .$type<'failed' | 'done'>()
      .generatedAlwaysAs(
        sql`case when revising or pending_patch is not null then null when status = 'failed' then 'failed'
          when status in ('completed', 'rejected', 'cancelled') then 'done' end`,
      ),
    /** `updated_at` once ended. An index on `updated_at` itself would slow every batch of steps. */
    rested_at: at('rested_at').generatedAlwaysAs(
      sql`case when status in ('completed', 'failed', 'rejected', 'cancelled') and not revising and pending_patch is null then updated_at end`,
    ),
  },
  (t) => [
    index('plans_attention').on(t.id).where(sql`attention`),
    index('plans_live').on(t.id).where(sql`ended_as is null`),
    index('plans_ended').on(t.ended_as, t.rested_at, t.id).where(sql`ended_as is not null`),
    index('plans_tenant_ended')
      .on(t.tenant, t.ended_as, t.rested_at, t.id)
      .where(sql`ended_as is not null`),
    index('plans_status_created').on(t.status, t.created_at, t.id),
    index('plans_created').on(t.created_at, t.id),
    index('plans_requester_created').on(t.requester, t.created_at, t.id),
    index('plans_conversation').on(t.conversation),
    index('plans_tenant_created').on(t.tenant, t.created_at, t.id),
    index('plans_pattern_type').on(t.pattern_type),
    index('plans_pattern_subtype').on(t.pattern_subtype),
    index('plans_pattern_variant').on(t.pattern_variant),
    check('plans_revision_positive', sql`${t.revision} > 0`),
  ],
);

export const planId = () =>
  text('plan_id')
    .notNull()
    .references(() => plans.id, { onDelete: 'cascade' });

/** As shown; immutable. */
export const planVersions = countersign.table(
  'plan_versions',
  {
    plan_id: planId(),
    version: integer('version').notNull(),
    digest: text('digest').notNull(),
    title: text('title').notNull(),
    summary: text('summary'),
    context: jsonb('context').$type<PlanContext>().notNull(),
    risks: jsonb('risks').$type<Risk[]>().notNull(),
    approver_policy: jsonb('approver_policy').$type<ApproverPolicy>().notNull(),
    tools_required: text('tools_required').array().notNull(),
    operation_digests: jsonb('operation_digests')
      .$type<Record<string, string>>()
      .notNull()
      .default({}),
    confirm_each: boolean('confirm_each').notNull().default(false),
    series: jsonb('series').$type<Series[]>().notNull().default([]),
    total: integer('total').notNull(),
    planner_model: text('planner_model').notNull(),
    cost_usd: doublePrecision('cost_usd').notNull().default(0),
    created_at: at('created_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.plan_id, t.version] })],
);

/** Written only by the previous version's programs; a trigger then fills `past_steps`. Drop it in the next version. */
export const planVersionSteps = countersign.table(
  'plan_version_steps',
  {
    plan_id: text('plan_id').notNull(),
    version: integer('version').notNull(),
    position: integer('position').notNull(),
    step_id: text('step_id').notNull(),
    content: jsonb('content').$type<JsonObject>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.plan_id, t.version, t.position] })],
);

/** The plan's totals are on `plans`. */
export const planPartitions = countersign.table(
  'plan_partitions',
  {
    plan_id: planId(),
    name: text('name').notNull(),
    ...counters,
  },
  (t) => [primaryKey({ columns: [t.plan_id, t.name] })],
);

/**
 * The change stream, numbered by revision without gaps. A row is a change of the plan, or one change of up to 500 steps, which
 * take the `n` revisions up to `revision` in the order of `step_ids`.
 */
export const planEvents = countersign.table(
  'plan_events',
  {
    plan_id: text('plan_id').notNull(),
    revision: bigint('revision', { mode: 'number' }).notNull(),
    /** Changes in the row, so that paging needn't unpack the lists. */
    n: integer('n').notNull().default(1),
    kind: text('kind').notNull(),
    status: text('status'),
    /** Null if the plan itself changed. */
    step_ids: text('step_ids').array(),
    details: text('details').array().$type<(string | null)[]>(),
    at: at('at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.plan_id, t.revision] })],
);

/** One person's, of one version; N of M is a count. */
export const approvals = countersign.table(
  'approvals',
  {
    plan_id: planId(),
    version: integer('version').notNull(),
    approver: text('approver').notNull(),
    digest: text('digest').notNull(),
    /** A typed name never counts as a second person. */
    verified: boolean('verified').notNull().default(false),
    /** By sign-in or token; null for a typed name or a chat. */
    role: text('role').$type<Role>(),
    at: at('at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.plan_id, t.version, t.approver] })],
);

export const planPatches = countersign.table(
  'plan_patches',
  {
    id: text('id').primaryKey(),
    plan_id: planId(),
    base_revision: bigint('base_revision', { mode: 'number' }).notNull(),
    status: text('status').$type<PatchStatus>().notNull(),
    /** That the plan has, or would have, with it; likewise the digest to approve. */
    version: integer('version').notNull(),
    digest: text('digest').notNull(),
    operations: jsonb('operations').$type<PinnedOperation[]>().notNull(),
    /** Stored by a version that replaced arguments as a whole. */
    whole_arguments: boolean('whole_arguments').notNull().default(true),
    widening: text('widening').array().notNull(),
    added: integer('added').notNull(),
    changed: integer('changed').notNull(),
    removed: integer('removed').notNull(),
    /** Steps that rerun, and steps that become stale. */
    rerun: integer('rerun').notNull().default(0),
    invalidated: integer('invalidated').notNull().default(0),
    reason: text('reason'),
    proposed_by: text('proposed_by').notNull(),
    decided_by: text('decided_by'),
    decided_at: at('decided_at'),
    created_at: at('created_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    index('plan_patches_plan').on(t.plan_id, t.created_at),
    uniqueIndex('plan_patches_waiting').on(t.plan_id).where(sql`status = 'needs_approval'`),
  ],
);
