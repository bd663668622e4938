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
  numeric,
  pgSchema,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { Actor } from '#contracts/actor.ts';
import type { PatchOperation } from '#contracts/patch.ts';
import type { PatchStatus } from '#contracts/patch-outcome.ts';
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
import type { Effect, OperationSpec } from '#contracts/tool.ts';

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
    /** The digest that people countersigned; execution compares it with `digest` at every claim. */
    approved_digest: text('approved_digest'),
    /** Some edges are met by the start of a step (SS, SF), so claiming has to look. */
    has_start_edges: boolean('has_start_edges').notNull().default(false),
    /** Resource pools that steps of this plan reserve from. */
    pools: text('pools').array().notNull().default([]),
    /** A patch that widens the plan and waits for an approval of its own. */
    pending_patch: text('pending_patch'),
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
    cost_usd: doublePrecision('cost_usd').notNull().default(0),
    created_at: at('created_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.plan_id, t.version] })],
);

/**
 * The steps of the current version, as they were proposed. `position` is the key inside a plan; `step_id` is the name
 * people use. What execution changes is in `step_states`, so that what is changed often stays small.
 */
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
    /** SHA-256 over what is executed of this step, compared again when it runs; null: proposed before seals were kept. */
    seal: text('seal'),
  },
  (t) => [
    primaryKey({ columns: [t.plan_id, t.position] }),
    uniqueIndex('plan_steps_step_id').on(t.plan_id, t.step_id),
    index('plan_steps_partition')
      .on(t.plan_id, t.partition, t.position)
      .where(sql`partition is not null`),
    index('plan_steps_tags').using('gin', t.tags).where(sql`tags <> '{}'`),
  ],
);

/**
 * Kinds of steps of a plan: what a worker must offer to run them and what they reserve. Ready steps are indexed by
 * kind, so that a worker finds its own without passing over others'.
 */
export const planLanes = countersign.table(
  'plan_lanes',
  {
    plan_id: text('plan_id')
      .notNull()
      .references(() => plans.id, { onDelete: 'cascade' }),
    lane: integer('lane').notNull(),
    tool: text('tool').notNull(),
    operation: text('operation').notNull(),
    capabilities: text('capabilities').array().notNull(),
    resources: jsonb('resources').$type<Record<string, number>>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.plan_id, t.lane] })],
);

/**
 * What execution changes of a step: one row each, small until the step has ended. Some columns of `plan_steps` are
 * repeated, so that claiming and counting read this table only. No foreign keys here and in the tables that grow with
 * every attempt: each would cost a look-up a row; a trigger on `plans` removes them with their plan.
 */
export const stepStates = countersign.table(
  'step_states',
  {
    plan_id: text('plan_id').notNull(),
    position: integer('position').notNull(),
    step_id: text('step_id').notNull(),
    partition: text('partition'),
    lane: integer('lane').notNull(),
    priority: integer('priority').notNull(),
    /** Direct dependents, kept for the order of ready steps. */
    dependents: integer('dependents').notNull(),
    status: text('status').$type<StepStatus>().notNull().default('pending'),
    /** Prerequisites not yet met; 0 makes a pending step ready. */
    unmet: integer('unmet').notNull(),
    /** Pending: not before this moment. Ready: since when it can be claimed, or from when on. */
    available_at: at('available_at'),
    /** Number of the latest attempt; also the fencing number of its lease. */
    attempt: integer('attempt').notNull().default(0),
    /** Attempts since a person, or the start of the plan, last made it ready. */
    tries: integer('tries').notNull().default(0),
    lease_owner: text('lease_owner'),
    lease_until: at('lease_until'),
    started_at: at('started_at'),
    /** The call of the running attempt may have gone out. */
    called_at: at('called_at'),
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
    index('step_states_ready')
      .on(
        t.plan_id,
        t.lane,
        t.priority.desc().nullsFirst(),
        t.dependents.desc().nullsFirst(),
        t.available_at,
        t.position,
      )
      .where(sql`status = 'ready'`),
    index('step_states_running').on(t.plan_id, t.position).where(sql`status = 'running'`),
    index('step_states_status').on(t.plan_id, t.status, t.position).where(sql`status <> 'running'`),
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
    plan_id: text('plan_id').notNull(),
    revision: bigint('revision', { mode: 'number' }).notNull(),
    kind: text('kind').notNull(),
    step_id: text('step_id'),
    status: text('status'),
    detail: text('detail'),
    at: at('at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.plan_id, t.revision] })],
);

/** Attempts that have ended. The one under way is in `step_states`: who has it, since when, whether it has called. */
export const stepAttempts = countersign.table(
  'step_attempts',
  {
    plan_id: text('plan_id').notNull(),
    position: integer('position').notNull(),
    attempt: integer('attempt').notNull(),
    status: text('status')
      .$type<'waiting' | 'succeeded' | 'failed' | 'unknown' | 'lost' | 'cancelled'>()
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
    seen_at: at('seen_at').notNull().defaultNow(),
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

/** What running steps hold of the pools: written with the claim, removed with whatever ends the attempt. */
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

/** The first step of each plan that a pool could not serve, and since when: small ones may not pass it for ever. */
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
    operations: jsonb('operations').$type<PatchOperation[]>().notNull(),
    widening: text('widening').array().notNull(),
    added: integer('added').notNull(),
    changed: integer('changed').notNull(),
    removed: integer('removed').notNull(),
    reason: text('reason'),
    proposed_by: text('proposed_by').notNull(),
    decided_by: text('decided_by'),
    decided_at: at('decided_at'),
    created_at: at('created_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [index('plan_patches_plan').on(t.plan_id, t.created_at)],
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
