// Tables of steps: their content, their execution state and their attempts.
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

/** Content of a step in a version, and its names. */
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
  /** The length in words, from which the minutes were computed. */
  duration: text('duration'),
  not_before: at('not_before'),
  /** The step runs only if these hold, or null if it always runs. */
  when: jsonb('when').$type<StepCondition[]>(),
  /** A person confirms the final arguments just before the call. */
  ask_before: boolean('ask_before').notNull().default(false),
  /** The target's state at proposal, compared again just before the call; null if not looked up. */
  seen: jsonb('seen').$type<SeenState>(),
};

/**
 * The latest row of each step, valid from version `since` on. A version is the rows of this table and of `past_steps` that
 * are valid at it. `position` is the key inside a plan; `step_id` is the name people use. What execution
 * changes is in `step_states`, so that what is changed often stays small. No foreign key to `plans` here and in the tables
 * that grow with every attempt: each would cost a look-up a row. The trigger `forget_plan` removes their rows with the plan.
 */
export const planSteps = countersign.table(
  'plan_steps',
  {
    ...says,
    /** A program of the version before does not give it; a trigger on `plan_version_steps` says what it is then. */
    since: integer('since')
      .notNull()
      .default(sql`coalesce(nullif(current_setting('countersign.since', true), ''), '1')::int`),
    /**
     * The version that removed the step from a running plan, whose attempts the row still names; no version has it any
     * more. null: it is still valid.
     */
    until: integer('until'),
    effect: text('effect').$type<Effect>().notNull(),
    guarded: boolean('guarded').notNull().default(false),
    /** SHA-256 over what is executed of this step, compared again when it runs; null: proposed before seals were kept. */
    seal: text('seal'),
    /**
     * How early a reviewer should see the call: 4 guarded, 3 destructive, 2 goes outside, 1 changes something, 0 only reads
     * here. The default hides nothing that an earlier program inserts.
     */
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
 * Rows of steps that a later version has replaced or left out, with what the step waited for. Of a version that waits for
 * approval, the rows that begin with it (`until` is null), and one that ends as it begins for each step that it removes.
 */
export const pastSteps = countersign.table(
  'past_steps',
  {
    ...says,
    since: integer('since').notNull(),
    until: integer('until'),
    /** By the predecessor's position, then type. Of a row in `plan_steps` this is in `plan_edges`. */
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

/**
 * Kinds of steps of a plan: what a worker must offer to run them and what they reserve. Ready steps are indexed by
 * kind, so that a worker finds its own without passing over others'.
 */
export const planLanes = countersign.table(
  'plan_lanes',
  {
    plan_id: planId(),
    lane: integer('lane').notNull(),
    tool: text('tool').notNull(),
    operation: text('operation').notNull(),
    capabilities: text('capabilities').array().notNull(),
    /** Names of what its steps reserve, sorted; how much is theirs. */
    pools: text('pools').array().notNull(),
  },
  (t) => [primaryKey({ columns: [t.plan_id, t.lane] })],
);

/**
 * Execution state of steps, one small row each until they end. Repeats some columns of `plan_steps`, so that claiming and
 * counting only read this table. No index contains the status, so starting, ending and counting down prerequisites are
 * HOT updates within half-free pages. `step_blocks` finds blocks with steps of a status; ready steps queue by `queued_at`.
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
    /**
     * Pending: not before this moment. Ready: since when it can be claimed, or from when on. Running without a worker
     * (`sql/later.ts`): when its work is asked for.
     */
    available_at: at('available_at'),
    /** `available_at` while the step is ready, else null. */
    queued_at: at('queued_at').generatedAlwaysAs(
      sql`case when status = 'ready' then available_at end`,
    ),
    /** Number of the latest attempt; also the fencing number of its lease. */
    attempt: integer('attempt').notNull().default(0),
    /** Attempts since a person, or the start of the plan, last made it ready. */
    tries: integer('tries').notNull().default(0),
    /** The back end that runs it; `later`: its work continues without one, and `lease_until` is null. */
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
    /** If findings hold the step, a copy of the next three columns for readers, written by the trigger `copy_holds`. */
    error: jsonb('error').$type<StepError>(),
    /** Open findings about the step, the one shown first, or null. A running or unknown step becomes stale when it ends. */
    held_by: text('held_by').array(),
    /** Status and error of a stale step before it became stale. */
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
 * The number of steps of each status in each block of 128 positions: block `b` has the positions from `128 * b` on. Kept
 * by statements that change statuses (`accounting`), and by triggers on `step_states` for what does not: steps that are added,
 * and programs of a version that did not know of blocks.
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

/**
 * Addresses that calls handed to the other side, by the hash of the token in them. Each is for one attempt, until `expires_at`.
 * `result_digest` is of the result that settled the attempt, or null if none has.
 */
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

/** Attempts that have ended. The one under way is in `step_states`: who has it, since when, whether it has called. */
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
