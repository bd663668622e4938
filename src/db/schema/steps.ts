// Tables of steps: content, execution state and attempts.
import { sql } from 'drizzle-orm';
import {
  boolean,
  doublePrecision,
  index,
  integer,
  jsonb,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { StepCondition } from '#domain/plan/condition.ts';
import type { Dependency, DependencyType } from '#domain/plan/dependency.ts';
import type { StepError, StepStatus } from '#domain/plan/plan.ts';
import type { SeenState } from '#domain/plan/seen.ts';
import type { Json, JsonObject } from '#domain/text.ts';
import type { Effect } from '#domain/tool.ts';
import { at, counters, countersign } from './columns.ts';
import { planId } from './plans.ts';

const says = {
  plan_id: text('plan_id').notNull(),
  position: integer('position').notNull(),
  step_id: text('step_id').notNull(),
  /** Shown to people, such as `2a`; stable when steps come and go. Its position if null. */
  label: text('label'),
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
  duration: text('duration'),
  not_before: at('not_before'),
  when: jsonb('when').$type<StepCondition[]>(),
  /** A person confirms the final arguments just before the call. */
  ask_before: boolean('ask_before').notNull().default(false),
  /** The target's state at proposal, compared just before the call; null if not looked up. */
  seen: jsonb('seen').$type<SeenState>(),
};

/**
 * The latest row of each step, valid from version `since`; earlier ones are in `past_steps`. No foreign key to `plans` here and
 * in tables that grow with attempts: each would cost a lookup per row. The trigger `forget_plan` deletes them.
 */
export const planSteps = countersign.table(
  'plan_steps',
  {
    ...says,
    /** If the previous version's program omits it, a trigger on `plan_version_steps` sets it. */
    since: integer('since')
      .notNull()
      .default(sql`coalesce(nullif(current_setting('countersign.since', true), ''), '1')::int`),
    /** The version that removed the step from a running plan, kept for its attempts. Null: still valid. */
    until: integer('until'),
    effect: text('effect').$type<Effect>().notNull(),
    guarded: boolean('guarded').notNull().default(false),
    /** SHA-256 of what is executed, compared when it runs; null: proposed before seals were kept. */
    seal: text('seal'),
    /** 4 guarded, 3 destructive, 2 goes outside, 1 changes something, 0 only reads. The default hides nothing. */
    review_rank: smallint('review_rank').notNull().default(1),
  },
  (t) => [
    primaryKey({ columns: [t.plan_id, t.position] }),
    uniqueIndex('plan_steps_step_id').on(t.plan_id, t.step_id),
    index('plan_steps_partition')
      .on(t.plan_id, t.partition, t.position)
      .where(sql`partition is not null`),
    index('plan_steps_tags').using('gin', t.tags).where(sql`tags <> '{}'`),
    index('plan_steps_review')
      .on(t.plan_id, t.review_rank.desc().nullsFirst(), t.position)
      .where(sql`review_rank > 0`),
    index('plan_steps_since').on(t.plan_id, t.since).where(sql`since > 1`),
  ],
);

/**
 * Replaced or removed rows. Of a waiting version: rows beginning with it (`until` null), and for removals, ending as they begin.
 */
export const pastSteps = countersign.table(
  'past_steps',
  {
    ...says,
    since: integer('since').notNull(),
    until: integer('until'),
    /** By the predecessor's position, then type. For `plan_steps` this is in `plan_edges`. */
    after: jsonb('after').$type<Dependency[]>().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.plan_id, t.position, t.since] }),
    index('past_steps_until').on(t.plan_id, t.until),
    index('past_steps_waiting')
      .on(t.plan_id, t.position)
      .where(sql`until is null or until = since`),
  ],
);

/** A worker's required offer, and reservations. Ready steps are indexed by it. */
export const planLanes = countersign.table(
  'plan_lanes',
  {
    plan_id: planId(),
    lane: integer('lane').notNull(),
    tool: text('tool').notNull(),
    operation: text('operation').notNull(),
    capabilities: text('capabilities').array().notNull(),
    pools: text('pools').array().notNull(),
  },
  (t) => [primaryKey({ columns: [t.plan_id, t.lane] })],
);

/**
 * Repeats columns of `plan_steps`, so that claiming reads only this table. No index contains the status, so that starting,
 * ending and counting down are HOT updates within half-free pages. `step_blocks` finds blocks by status.
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
    /** Direct ones, for the order of ready steps. */
    dependents: integer('dependents').notNull(),
    status: text('status').$type<StepStatus>().notNull().default('pending'),
    /** 0 makes a pending step ready. */
    unmet: integer('unmet').notNull(),
    /** Pending: not before. Ready: claimable since or from. Running without a worker (`sql/later.ts`): next poll. */
    available_at: at('available_at'),
    /** `available_at` while ready. */
    queued_at: at('queued_at').generatedAlwaysAs(
      sql`case when status = 'ready' then available_at end`,
    ),
    /** The latest attempt; also the fencing token of its lease. */
    attempt: integer('attempt').notNull().default(0),
    /** Attempts since a person, or the start of the plan, last made it ready. */
    tries: integer('tries').notNull().default(0),
    /** `later`: its work continues without a back end, and `lease_until` is null. */
    lease_owner: text('lease_owner'),
    lease_until: at('lease_until'),
    started_at: at('started_at'),
    called_at: at('called_at'),
    ended_at: at('ended_at'),
    question: text('question'),
    /** Decided at run time; a person confirms them. */
    final_args: jsonb('final_args').$type<JsonObject>(),
    result_summary: text('result_summary'),
    output: jsonb('output').$type<Json>(),
    /** If findings hold the step, `copy_holds` copies the next three columns here for readers. */
    error: jsonb('error').$type<StepError>(),
    /** Open findings about the step, the shown one first. A running or unknown step becomes stale when it ends. */
    held_by: text('held_by').array(),
    /** Status and error before the step became stale. */
    was_status: text('was_status').$type<StepStatus>(),
    was_error: jsonb('was_error').$type<StepError>(),
  },
  (t) => [
    primaryKey({ columns: [t.plan_id, t.position] }),
    index('step_states_queue')
      .on(
        t.plan_id,
        t.lane,
        t.priority.desc().nullsFirst(),
        t.dependents.desc().nullsFirst(),
        t.queued_at,
        t.position,
      )
      .where(sql`queued_at is not null`),
  ],
);

/**
 * Steps of each status per 128 positions, from `128 * block` on. Kept by `accounting`; triggers count additions and older
 * programs.
 */
export const stepBlocks = countersign.table(
  'step_blocks',
  {
    plan_id: text('plan_id').notNull(),
    block: integer('block').notNull(),
    ...counters,
    has_running: boolean('has_running').generatedAlwaysAs(sql`running > 0`),
  },
  (t) => [
    primaryKey({ columns: [t.plan_id, t.block] }),
    index('step_blocks_running').on(t.plan_id, t.block).where(sql`has_running`),
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

/** By the hash of the token in the address, for one attempt. `result_digest`: of the result that settled it, or null. */
export const stepCallbacks = countersign.table(
  'step_callbacks',
  {
    token_hash: text('token_hash').primaryKey(),
    plan_id: planId(),
    position: integer('position').notNull(),
    attempt: integer('attempt').notNull(),
    expires_at: at('expires_at').notNull(),
    result_digest: text('result_digest'),
  },
  (t) => [index('step_callbacks_attempt').on(t.plan_id, t.position, t.attempt)],
);

/** Ended ones. The one under way is in `step_states`. */
export const stepAttempts = countersign.table(
  'step_attempts',
  {
    plan_id: text('plan_id').notNull(),
    position: integer('position').notNull(),
    attempt: integer('attempt').notNull(),
    status: text('status')
      .$type<'waiting' | 'succeeded' | 'failed' | 'skipped' | 'unknown' | 'lost' | 'cancelled'>()
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
