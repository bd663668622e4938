// Tables of plans. The hot state is on `plans` (one lean row, updated once a batch); text is in `plan_versions`.
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
    /** Whether it is certain who asked: in a chat, signed in, or with a token of their own. */
    requester_verified: boolean('requester_verified').notNull().default(false),
    /** The organisation it belongs to: `slack:T…`, `teams:GUID`, a provider's own; null: the instance's. */
    tenant: text('tenant'),
    approver_policy: jsonb('approver_policy').$type<ApproverPolicy>().notNull(),
    conversation: text('conversation'),
    run_id: text('run_id'),
    planner_model: text('planner_model').notNull(),
    /** The agent that proposed it, or asked for it, for the requester, or null if they did so themselves. */
    agent: text('agent'),
    executor_model: text('executor_model'),
    tools_required: text('tools_required').array().notNull(),
    guarded_operations: text('guarded_operations').array().notNull(),
    /** Digests of each operation's server, description and schema at proposal, by name. */
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
    /** The digest that people countersigned; execution compares it with `digest` at every claim. */
    approved_digest: text('approved_digest'),
    /** Some edges are met by the start of a step (SS, SF), so claiming has to look. */
    has_start_edges: boolean('has_start_edges').notNull().default(false),
    /** Resource pools that steps of this plan reserve from. */
    pools: text('pools').array().notNull().default([]),
    /** Every step waits for a person's word before it runs. */
    confirm_each: boolean('confirm_each').notNull().default(false),
    /** Its last series ends then, so the plan stays open although no step is left, or null if it has none. */
    open_until: at('open_until'),
    /** A patch that widens the plan and waits for an approval of its own. */
    pending_patch: text('pending_patch'),
    revising: boolean('revising').notNull().default(false),
    confidence: doublePrecision('confidence'),
    cost_usd: doublePrecision('cost_usd').notNull().default(0),
    execution_started_at: at('execution_started_at'),
    execution_ended_at: at('execution_ended_at'),
    result_summary: text('result_summary'),
    /** W3C trace context of what last moved it: the planning turn, then the decision of a person, or null if that was not traced. */
    traceparent: text('traceparent'),
    created_at: at('created_at').notNull().defaultNow(),
    updated_at: at('updated_at').notNull().defaultNow(),
    /** Something in it may wait for a person. Findings are rows of their own and not counted. */
    attention: boolean('attention').generatedAlwaysAs(
      sql`status in ('proposed', 'needs_review', 'stalled') or revising or pending_patch is not null
        or status = 'executing' and waiting + unknown > 0`,
    ),
    /** The inbox group of an ended plan, or null if it is live. */
    ended_as: text('ended_as')
      .$type<'failed' | 'done'>()
      .generatedAlwaysAs(
        sql`case when revising or pending_patch is not null then null when status = 'failed' then 'failed'
          when status in ('completed', 'rejected', 'cancelled') then 'done' end`,
      ),
    /** `updated_at` of an ended plan, else null. An index on `updated_at` itself would slow down each batch of steps. */
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

/** Each version as it was shown; written once. */
export const planVersions = countersign.table(
  'plan_versions',
  {
    plan_id: text('plan_id')
      .notNull()
      .references(() => plans.id, { onDelete: 'cascade' }),
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

/** Written only by programs of the version before, for which a trigger fills `past_steps`. To be dropped with the next version. */
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

/** Step counts per partition; the plan's own are on `plans`. */
export const planPartitions = countersign.table(
  'plan_partitions',
  {
    plan_id: text('plan_id')
      .notNull()
      .references(() => plans.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    ...counters,
  },
  (t) => [primaryKey({ columns: [t.plan_id, t.name] })],
);

/**
 * The change stream, numbered by the plan's revision without gaps. A row is a change of the plan itself, or one thing
 * that happened to up to 500 steps together: theirs are the `n` revisions up to `revision`, in the order of `step_ids`.
 */
export const planEvents = countersign.table(
  'plan_events',
  {
    plan_id: text('plan_id').notNull(),
    revision: bigint('revision', { mode: 'number' }).notNull(),
    /** How many changes; kept so that pages are counted without unpacking the lists. */
    n: integer('n').notNull().default(1),
    kind: text('kind').notNull(),
    status: text('status'),
    /** null: the plan itself changed. */
    step_ids: text('step_ids').array(),
    /** One for each step (or for the plan), where any of them has one. */
    details: text('details').array().$type<(string | null)[]>(),
    at: at('at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.plan_id, t.revision] })],
);

/** Approvals of one version by one person; N of M is a count. */
export const approvals = countersign.table(
  'approvals',
  {
    plan_id: text('plan_id')
      .notNull()
      .references(() => plans.id, { onDelete: 'cascade' }),
    version: integer('version').notNull(),
    approver: text('approver').notNull(),
    digest: text('digest').notNull(),
    /** Whether it was certain who approved; a name that was typed is never a second person. */
    verified: boolean('verified').notNull().default(false),
    /** Their role by sign-in or token; null: a typed name or a chat, which have no roles. */
    role: text('role').$type<Role>(),
    at: at('at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.plan_id, t.version, t.approver] })],
);

/** Changes of plans that have been proposed or approved, as they were sent. */
export const planPatches = countersign.table(
  'plan_patches',
  {
    id: text('id').primaryKey(),
    plan_id: text('plan_id')
      .notNull()
      .references(() => plans.id, { onDelete: 'cascade' }),
    base_revision: bigint('base_revision', { mode: 'number' }).notNull(),
    status: text('status').$type<PatchStatus>().notNull(),
    /** The version that the plan has, or would have, with it; and the digest that is approved. */
    version: integer('version').notNull(),
    digest: text('digest').notNull(),
    operations: jsonb('operations').$type<PinnedOperation[]>().notNull(),
    /** Stored by a version that replaced arguments as a whole. */
    whole_arguments: boolean('whole_arguments').notNull().default(true),
    widening: text('widening').array().notNull(),
    added: integer('added').notNull(),
    changed: integer('changed').notNull(),
    removed: integer('removed').notNull(),
    /** Steps that run again, and steps that are made stale. */
    rerun: integer('rerun').notNull().default(0),
    invalidated: integer('invalidated').notNull().default(0),
    reason: text('reason'),
    proposed_by: text('proposed_by').notNull(),
    decided_by: text('decided_by'),
    decided_at: at('decided_at'),
    created_at: at('created_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [index('plan_patches_plan').on(t.plan_id, t.created_at)],
);
