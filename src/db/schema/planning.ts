// Planning tables: checkpoints, model calls, policies, and versions' artifacts.
import { sql } from 'drizzle-orm';
import {
  bigserial,
  boolean,
  doublePrecision,
  foreignKey,
  index,
  integer,
  jsonb,
  type PgColumn,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { SealedCalendar } from '#domain/people/calendar-entry.ts';
import type { MemoryScope, MemorySource } from '#domain/people/memory.ts';
import type { PolicyOverride } from '#domain/people/policy.ts';
import type { DependencyType } from '#domain/plan/dependency.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { PlanningNote } from '#domain/planning/artifacts.ts';
import type { OutlineNode, PlanOutline, Rhythm, Structure } from '#domain/planning/outline.ts';
import type { Roadmap, RoadmapEdge, RoadmapMetrics } from '#domain/planning/roadmap.ts';
import type { Schedule } from '#domain/planning/schedule.ts';
import type { Stage, StageEvent } from '#domain/planning/stages.ts';
import type { PlanningState } from '#domain/planning/state.ts';
import type { Json } from '#domain/text.ts';
import { at, countersign } from './columns.ts';
import { planId, planVersions } from './plans.ts';
import { planSteps } from './steps.ts';

/** After each transition; a run resumes from its highest `seq`. */
export const planningCheckpoints = countersign.table(
  'planning_checkpoints',
  {
    thread_id: text('thread_id').notNull(),
    checkpoint_ns: text('checkpoint_ns').notNull().default('planning_agent'),
    run_id: text('run_id').notNull(),
    /** The run's transition number, from 1. */
    seq: integer('seq').notNull(),
    turn: integer('turn').notNull(),
    from_stage: text('from_stage').$type<Stage>(),
    event: text('event').$type<StageEvent>(),
    stage: text('stage').$type<Stage>().notNull(),
    state: jsonb('state').$type<PlanningState>().notNull(),
    created_at: at('created_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    primaryKey({ columns: [t.run_id, t.seq] }),
    index('planning_checkpoints_thread').on(t.thread_id, t.checkpoint_ns, t.created_at),
  ],
);

export const planningMemo = countersign.table(
  'planning_memo',
  {
    /** SHA-256 of everything the result depends on: inputs, policy, model, versions. */
    key: text('key').primaryKey(),
    kind: text('kind').notNull(),
    run_id: text('run_id').notNull(),
    value: jsonb('value').$type<Json>().notNull(),
    created_at: at('created_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [index('planning_memo_created').on(t.created_at)],
);

export const modelCalls = countersign.table(
  'model_calls',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    run_id: text('run_id').notNull(),
    turn: integer('turn').notNull(),
    /** Null for planning. */
    plan_id: text('plan_id'),
    user: text('user').notNull(),
    tenant: text('tenant'),
    model: text('model').notNull(),
    stage: text('stage').notNull(),
    estimate_usd: doublePrecision('estimate_usd').notNull(),
    /** Null until the call returns; its estimate counts meanwhile. */
    cost_usd: doublePrecision('cost_usd'),
    input_tokens: integer('input_tokens'),
    output_tokens: integer('output_tokens'),
    began_at: at('began_at').notNull().default(sql`clock_timestamp()`),
    ended_at: at('ended_at'),
  },
  (t) => [
    index('model_calls_began').on(t.began_at),
    index('model_calls_run').on(t.run_id, t.turn),
    index('model_calls_user').on(t.user, t.began_at),
  ],
);

/** Unset sliders use the defaults. */
export const interactionPolicies = countersign.table('interaction_policies', {
  user: text('user').primaryKey(),
  policy: jsonb('policy').$type<PolicyOverride>().notNull().default({}),
  calendar: jsonb('calendar').$type<SealedCalendar>(),
  /** When the style question was asked, which happens once. */
  probed_at: at('probed_at'),
  updated_at: at('updated_at').notNull().default(sql`clock_timestamp()`),
});

/** `owner` is a person's name or a chat conversation. */
export const memory = countersign.table(
  'memory',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    scope: text('scope').$type<MemoryScope>().notNull(),
    owner: text('owner').notNull(),
    name: text('name'),
    text: text('text').notNull(),
    source: jsonb('source').$type<MemorySource>().notNull(),
    created_at: at('created_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [index('memory_owner').on(t.scope, t.owner)],
);

export type OutlineHead = Omit<PlanOutline, 'nodes'>;
export type RoadmapHead = Omit<Roadmap, 'edges' | 'options_tried' | 'reason'>;
export type ScheduleHead = Omit<Schedule, 'blocks'>;

const versionKey = () => ({
  plan_id: text('plan_id').notNull(),
  version: integer('version').notNull(),
});

type VersionTable = { plan_id: PgColumn; version: PgColumn };

/** Deleted with their version. */
const ofVersion = (name: string, { plan_id, version }: VersionTable) =>
  foreignKey({
    name,
    columns: [plan_id, version],
    foreignColumns: [planVersions.plan_id, planVersions.version],
  }).onDelete('cascade');

/** Deleted with the node in `column`. */
const ofNode = (name: string, { plan_id, version }: VersionTable, column: PgColumn) =>
  foreignKey({
    name,
    columns: [plan_id, version, column],
    foreignColumns: [outlineNodes.plan_id, outlineNodes.version, outlineNodes.node_id],
  }).onDelete('cascade');

export const planningArtifacts = countersign.table(
  'planning_artifacts',
  {
    ...versionKey(),
    outline: jsonb('outline').$type<OutlineHead>(),
    roadmap: jsonb('roadmap').$type<RoadmapHead>(),
    schedule: jsonb('schedule').$type<ScheduleHead>(),
    notes: jsonb('notes').$type<PlanningNote[]>().notNull().default([]),
  },
  (t) => [
    primaryKey({ columns: [t.plan_id, t.version] }),
    ofVersion('planning_artifacts_version', t),
  ],
);

export const outlineNodes = countersign.table(
  'outline_nodes',
  {
    ...versionKey(),
    node_id: text('node_id').notNull(),
    position: integer('position').notNull(),
    parent_id: text('parent_id'),
    title: text('title').notNull(),
    structure: text('structure').$type<Structure>().notNull(),
    rhythm: text('rhythm').$type<Rhythm>().notNull(),
    level: integer('level').notNull(),
    /** The rest, which no query filters or joins. */
    content: jsonb('content').$type<OutlineNode>().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.plan_id, t.version, t.node_id] }),
    uniqueIndex('outline_nodes_position').on(t.plan_id, t.version, t.position),
    ofVersion('outline_nodes_version', t),
    foreignKey({
      name: 'outline_nodes_parent',
      columns: [t.plan_id, t.version, t.parent_id],
      foreignColumns: [t.plan_id, t.version, t.node_id],
    }).onDelete('cascade'),
  ],
);

export const nodeSteps = countersign.table(
  'node_steps',
  {
    ...versionKey(),
    node_id: text('node_id').notNull(),
    step_id: text('step_id').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.plan_id, t.version, t.node_id, t.step_id] }),
    index('node_steps_step').on(t.plan_id, t.step_id),
    ofNode('node_steps_node', t, t.node_id),
    foreignKey({
      name: 'node_steps_step',
      columns: [t.plan_id, t.step_id],
      foreignColumns: [planSteps.plan_id, planSteps.step_id],
    }).onDelete('cascade'),
  ],
);

/** In the chosen option. */
export const roadmapEdges = countersign.table(
  'roadmap_edges',
  {
    ...versionKey(),
    from_node: text('from_node').notNull(),
    to_node: text('to_node').notNull(),
    type: text('type').$type<DependencyType>().notNull(),
    lag_minutes: integer('lag_minutes').notNull(),
    why: text('why').$type<RoadmapEdge['why']>().notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.plan_id, t.version, t.from_node, t.to_node, t.type] }),
    index('roadmap_edges_to').on(t.plan_id, t.version, t.to_node),
    ofNode('roadmap_edges_from_node', t, t.from_node),
    ofNode('roadmap_edges_to_node', t, t.to_node),
  ],
);

/** Best first. */
export const roadmapOptions = countersign.table(
  'roadmap_options',
  {
    ...versionKey(),
    position: integer('position').notNull(),
    name: text('name').notNull(),
    differs: text('differs').notNull(),
    metrics: jsonb('metrics').$type<RoadmapMetrics>().notNull(),
    score: doublePrecision('score').notNull(),
    chosen: boolean('chosen').notNull(),
    /** Why it was chosen, or null if it wasn't. */
    reason: text('reason'),
  },
  (t) => [
    primaryKey({ columns: [t.plan_id, t.version, t.position] }),
    ofVersion('roadmap_options_version', t),
  ],
);

export const scheduleBlocks = countersign.table(
  'schedule_blocks',
  {
    ...versionKey(),
    node_id: text('node_id').notNull(),
    starts_at: at('starts_at').notNull(),
    ends_at: at('ends_at').notNull(),
    fixed: boolean('fixed').notNull(),
    holds: boolean('holds').notNull(),
    person: text('person'),
  },
  (t) => [
    primaryKey({ columns: [t.plan_id, t.version, t.node_id] }),
    index('schedule_blocks_time').on(t.starts_at, t.ends_at),
    ofNode('schedule_blocks_node', t, t.node_id),
  ],
);

export const planSeries = countersign.table(
  'plan_series',
  {
    plan_id: planId(),
    series_id: text('series_id').notNull(),
    title: text('title').notNull(),
    rrule: text('rrule').notNull(),
    starts_at: at('starts_at').notNull(),
    timezone: text('timezone').notNull(),
    until: at('until'),
    steps: jsonb('steps').$type<StepDraft[]>().notNull(),
    expanded_to: at('expanded_to'),
    /** Null if there are no more. */
    expand_at: at('expand_at'),
    stopped_at: at('stopped_at'),
  },
  (t) => [
    primaryKey({ columns: [t.plan_id, t.series_id] }),
    index('plan_series_expand').on(t.expand_at).where(sql`expand_at is not null`),
  ],
);
