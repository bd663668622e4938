// The tables. Column names are the names used everywhere, so rows need no renaming.
// Hot state is on `plans` (one row, lean, updated once a batch); what people wrote is in `plan_versions`.
import { sql } from 'drizzle-orm';
import {
  bigint,
  bigserial,
  boolean,
  check,
  customType,
  doublePrecision,
  foreignKey,
  index,
  integer,
  jsonb,
  pgSchema,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { Actor } from '#contracts/actor.ts';
import type {
  ApproverPolicy,
  DependencyType,
  PlanContext,
  PlanStatus,
  Rejection,
  Risk,
  StepError,
  StepStatus,
} from '#contracts/plan.ts';
import type { PolicyOverride } from '#contracts/policy.ts';
import type { PlanningModes, PlanningStatus, TraceEntry } from '#contracts/run.ts';
import type { Json, JsonObject } from '#contracts/text.ts';
import type { Effect } from '#contracts/tool.ts';

export const countersign = pgSchema('countersign');

const at = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });
const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
const counter = (name: string) => integer(name).notNull().default(0);

/** A count for each step status, kept by the statements that change statuses. */
const counters = {
  pending: counter('pending'),
  ready: counter('ready'),
  running: counter('running'),
  waiting: counter('waiting'),
  succeeded: counter('succeeded'),
  failed: counter('failed'),
  skipped: counter('skipped'),
  cancelled: counter('cancelled'),
  stale: counter('stale'),
  unknown: counter('unknown'),
};

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
    approver_policy: jsonb('approver_policy').$type<ApproverPolicy>().notNull(),
    conversation: text('conversation'),
    run_id: text('run_id'),
    planner_model: text('planner_model').notNull(),
    executor_model: text('executor_model'),
    tools_required: text('tools_required').array().notNull(),
    guarded_operations: text('guarded_operations').array().notNull(),
    pattern_type: text('pattern_type'),
    pattern_subtype: text('pattern_subtype'),
    pattern_variant: text('pattern_variant'),
    rejection_history: jsonb('rejection_history').$type<Rejection[]>().notNull().default([]),
    decided_by: text('decided_by'),
    decided_at: at('decided_at'),
    paused_at: at('paused_at'),
    /** Some edges are met by the start of a step (SS, SF), so claiming has to look. */
    has_start_edges: boolean('has_start_edges').notNull().default(false),
    revising: boolean('revising').notNull().default(false),
    confidence: doublePrecision('confidence'),
    cost_usd: doublePrecision('cost_usd').notNull().default(0),
    execution_started_at: at('execution_started_at'),
    execution_ended_at: at('execution_ended_at'),
    result_summary: text('result_summary'),
    created_at: at('created_at').notNull().defaultNow(),
    updated_at: at('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('plans_status_created').on(t.status, t.created_at, t.id),
    index('plans_created').on(t.created_at, t.id),
    index('plans_requester_created').on(t.requester, t.created_at, t.id),
    index('plans_conversation').on(t.conversation),
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
    total: integer('total').notNull(),
    planner_model: text('planner_model').notNull(),
    created_at: at('created_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.plan_id, t.version] })],
);

/** The steps of the current version. `position` is the key inside a plan; `step_id` is the name people use. */
export const planSteps = countersign.table(
  'plan_steps',
  {
    plan_id: text('plan_id')
      .notNull()
      .references(() => plans.id, { onDelete: 'cascade' }),
    position: integer('position').notNull(),
    step_id: text('step_id').notNull(),
    description: text('description').notNull(),
    tool: text('tool').notNull(),
    operation: text('operation').notNull(),
    target: text('target'),
    args: jsonb('args').$type<JsonObject>().notNull(),
    priority: integer('priority').notNull().default(0),
    partition: text('partition'),
    tags: text('tags').array().notNull().default([]),
    resources: jsonb('resources').$type<Record<string, number>>().notNull().default({}),
    capabilities: text('capabilities').array().notNull().default([]),
    notes: jsonb('notes').$type<Json>(),
    duration_minutes: doublePrecision('duration_minutes'),
    not_before: at('not_before'),
    effect: text('effect').$type<Effect>().notNull(),
    guarded: boolean('guarded').notNull().default(false),
    status: text('status').$type<StepStatus>().notNull().default('pending'),
    /** Prerequisites not yet met; 0 makes a pending step ready. */
    unmet: integer('unmet').notNull(),
    /** Direct dependents, kept for the order of ready steps. */
    dependents: integer('dependents').notNull(),
    /** A ready step may be claimed from this moment on. */
    available_at: at('available_at'),
    /** Number of the latest attempt; also the fencing number of its lease. */
    attempt: integer('attempt').notNull().default(0),
    lease_owner: text('lease_owner'),
    lease_until: at('lease_until'),
    started_at: at('started_at'),
    ended_at: at('ended_at'),
    question: text('question'),
    /** Arguments decided at run time and waiting for, or given, a person's confirmation. */
    final_args: jsonb('final_args').$type<JsonObject>(),
    result_summary: text('result_summary'),
    output: jsonb('output').$type<Json>(),
    error: jsonb('error').$type<StepError>(),
  },
  (t) => [
    primaryKey({ columns: [t.plan_id, t.position] }),
    uniqueIndex('plan_steps_step_id').on(t.plan_id, t.step_id),
    index('plan_steps_ready')
      .on(t.plan_id, t.priority.desc(), t.dependents.desc(), t.position)
      .where(sql`status = 'ready'`),
    index('plan_steps_leases').on(t.lease_until).where(sql`status = 'running'`),
    index('plan_steps_status').on(t.plan_id, t.status, t.position),
    index('plan_steps_partition')
      .on(t.plan_id, t.partition, t.position)
      .where(sql`partition is not null`),
    index('plan_steps_tags').using('gin', t.tags).where(sql`tags <> '{}'`),
  ],
);

export const planEdges = countersign.table(
  'plan_edges',
  {
    plan_id: text('plan_id').notNull(),
    predecessor: integer('predecessor').notNull(),
    successor: integer('successor').notNull(),
    type: text('type').$type<DependencyType>().notNull().default('FS'),
    lag_minutes: integer('lag_minutes').notNull().default(0),
  },
  (t) => [
    primaryKey({ columns: [t.plan_id, t.predecessor, t.successor, t.type] }),
    index('plan_edges_successor').on(t.plan_id, t.successor),
    foreignKey({
      columns: [t.plan_id, t.successor],
      foreignColumns: [planSteps.plan_id, planSteps.position],
    }).onDelete('cascade'),
  ],
);

/** Steps of earlier versions, as they were proposed, for the diff between versions. */
export const planVersionSteps = countersign.table(
  'plan_version_steps',
  {
    plan_id: text('plan_id').notNull(),
    version: integer('version').notNull(),
    position: integer('position').notNull(),
    step_id: text('step_id').notNull(),
    content: jsonb('content').$type<JsonObject>().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.plan_id, t.version, t.position] }),
    foreignKey({
      columns: [t.plan_id, t.version],
      foreignColumns: [planVersions.plan_id, planVersions.version],
    }).onDelete('cascade'),
  ],
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

/** The change stream: one row for each change, numbered by the plan's revision. */
export const planEvents = countersign.table(
  'plan_events',
  {
    plan_id: text('plan_id')
      .notNull()
      .references(() => plans.id, { onDelete: 'cascade' }),
    revision: bigint('revision', { mode: 'number' }).notNull(),
    kind: text('kind').notNull(),
    step_id: text('step_id'),
    status: text('status'),
    detail: text('detail'),
    at: at('at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.plan_id, t.revision] })],
);

/** Every attempt of every step, written before the call and settled after it. */
export const stepAttempts = countersign.table(
  'step_attempts',
  {
    plan_id: text('plan_id').notNull(),
    position: integer('position').notNull(),
    attempt: integer('attempt').notNull(),
    /** started: claimed; calling: the call may have gone out; then how it ended. */
    status: text('status')
      .$type<
        | 'started'
        | 'calling'
        | 'waiting'
        | 'succeeded'
        | 'failed'
        | 'unknown'
        | 'lost'
        | 'cancelled'
      >()
      .notNull(),
    worker: text('worker').notNull(),
    started_at: at('started_at').notNull(),
    called_at: at('called_at'),
    ended_at: at('ended_at'),
    result_summary: text('result_summary'),
    error: jsonb('error').$type<StepError>(),
  },
  (t) => [
    primaryKey({ columns: [t.plan_id, t.position, t.attempt] }),
    index('step_attempts_ended').on(t.plan_id, t.ended_at, t.position, t.attempt),
    foreignKey({
      columns: [t.plan_id, t.position],
      foreignColumns: [planSteps.plan_id, planSteps.position],
    }).onDelete('cascade'),
  ],
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
    at: at('at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.plan_id, t.version, t.approver] })],
);

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
    step_id: text('step_id'),
    name: text('name').notNull(),
    media_type: text('media_type').notNull(),
    size: integer('size').notNull(),
    sha256: text('sha256').notNull(),
    content: bytes('content').notNull(),
    created_at: at('created_at').notNull().defaultNow(),
  },
  (t) => [index('artifacts_plan').on(t.plan_id)],
);

export const runs = countersign.table(
  'runs',
  {
    id: text('id').primaryKey(),
    user: text('user').notNull(),
    via: text('via').notNull(),
    conversation: text('conversation').notNull(),
    planning_status: text('planning_status').$type<PlanningStatus>().notNull(),
    /** Counts the turns of this run; a planner's outcome is taken only for the turn it was asked for. */
    turn: integer('turn').notNull().default(1),
    /** How often this turn's planner was sent again because nothing came of it. */
    tries: integer('tries').notNull().default(0),
    request: text('request').notNull(),
    modes: jsonb('modes').$type<PlanningModes>().notNull(),
    policy: jsonb('policy').$type<PolicyOverride>().notNull().default({}),
    plan_id: text('plan_id'),
    /** The version and digest last shown in this run: what the word "approve" is about. */
    plan_version: integer('plan_version'),
    plan_digest: text('plan_digest'),
    response_text: text('response_text').notNull().default(''),
    questions: jsonb('questions').$type<string[]>(),
    escalate_reason: text('escalate_reason'),
    decision_reason: text('decision_reason'),
    planner: text('planner'),
    confidence: doublePrecision('confidence'),
    cost_usd: doublePrecision('cost_usd').notNull().default(0),
    trace: jsonb('trace').$type<TraceEntry[]>().notNull().default([]),
    created_at: at('created_at').notNull().defaultNow(),
    updated_at: at('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('runs_conversation').on(t.conversation, t.created_at),
    index('runs_plan').on(t.plan_id),
    index('runs_updated').on(t.updated_at),
  ],
);

/** What was said in a conversation; a plan's card is drawn from the plan, never stored here. */
export const messages = countersign.table(
  'messages',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    conversation: text('conversation').notNull(),
    run_id: text('run_id'),
    author: text('author').$type<'person' | 'bot'>().notNull(),
    name: text('name').notNull(),
    text: text('text').notNull(),
    plan_id: text('plan_id'),
    /** Says a thing once however often it is said again: `PLAN-…:completed`. */
    once: text('once'),
    created_at: at('created_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    index('messages_conversation').on(t.conversation, t.id),
    uniqueIndex('messages_once').on(t.once),
  ],
);

export const reminders = countersign.table(
  'reminders',
  {
    id: text('id').primaryKey(),
    plan_id: text('plan_id'),
    user: text('user').notNull(),
    conversation: text('conversation'),
    text: text('text').notNull(),
    /** RFC 5545 recurrence rule; null: once. */
    rrule: text('rrule'),
    timezone: text('timezone').notNull(),
    starts_at: at('starts_at').notNull(),
    /** null when it will not ring again. */
    next_at: at('next_at'),
    created_at: at('created_at').notNull().defaultNow(),
  },
  (t) => [index('reminders_next').on(t.next_at).where(sql`next_at is not null`)],
);
