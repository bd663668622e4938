// Tables of conversations and planning runs.
import { sql } from 'drizzle-orm';
import {
  bigint,
  bigserial,
  boolean,
  doublePrecision,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { MessageParts } from '#domain/chat/message-parts.ts';
import type { PolicyOverride } from '#domain/people/policy.ts';
import type { PlanningModes } from '#domain/plan/modes.ts';
import type { PatternSpec } from '#domain/plan/pattern.ts';
import type { Activity } from '#domain/planning/activity.ts';
import type { PlanningStatus } from '#domain/planning/run.ts';
import type { Pause, Rfc, TurnDecision } from '#domain/planning/state.ts';
import type { TraceEntry } from '#domain/planning/trace.ts';
import { at, countersign } from './columns.ts';

export const runs = countersign.table(
  'runs',
  {
    id: text('id').primaryKey(),
    user: text('user').notNull(),
    via: text('via').notNull(),
    agent: text('agent'),
    verified: boolean('verified').notNull().default(false),
    /** Null for the instance's own. */
    tenant: text('tenant'),
    conversation: text('conversation').notNull(),
    planning_status: text('planning_status').$type<PlanningStatus>().notNull(),
    /** A planner's result is accepted only for the turn it was started for. */
    turn: integer('turn').notNull().default(1),
    /** Valid only while the run is `running`. */
    activity: jsonb('activity').$type<Activity>(),
    /** Restarts of this turn's planner after no result. */
    tries: integer('tries').notNull().default(0),
    request: text('request').notNull(),
    modes: jsonb('modes').$type<PlanningModes>().notNull(),
    policy: jsonb('policy').$type<PolicyOverride>().notNull().default({}),
    /** Null for a plain message. `timezone` defaults to the instance's; `tenant` is the decider's if the run has none. */
    decision: jsonb('decision').$type<TurnDecision>(),
    /** The question that the session waits for and where it resumes. */
    pause: jsonb('pause').$type<Pause>(),
    pattern: jsonb('pattern').$type<PatternSpec>(),
    rfc: jsonb('rfc').$type<Rfc>(),
    plan_id: text('plan_id'),
    /** Last shown in this run, with its digest: what "approve" refers to. */
    plan_version: integer('plan_version'),
    plan_digest: text('plan_digest'),
    response_text: text('response_text').notNull().default(''),
    /** Message IDs of `request` and of `response_text`. */
    request_message: bigint('request_message', { mode: 'number' }),
    response_message: bigint('response_message', { mode: 'number' }),
    questions: jsonb('questions').$type<string[]>(),
    escalate_reason: text('escalate_reason'),
    decision_reason: text('decision_reason'),
    planner: text('planner'),
    confidence: doublePrecision('confidence'),
    cost_usd: doublePrecision('cost_usd').notNull().default(0),
    trace: jsonb('trace').$type<TraceEntry[]>().notNull().default([]),
    /** W3C; null if untraced. */
    traceparent: text('traceparent'),
    created_at: at('created_at').notNull().defaultNow(),
    updated_at: at('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('runs_conversation').on(t.conversation, t.created_at),
    index('runs_plan').on(t.plan_id),
    index('runs_updated').on(t.updated_at),
  ],
);

/** The turn a reader last saw over HTTP, to which a reply without a turn belongs. */
export const runReaders = countersign.table(
  'run_readers',
  {
    run_id: text('run_id')
      .notNull()
      .references(() => runs.id, { onDelete: 'cascade' }),
    reader: text('reader').notNull(),
    turn: integer('turn').notNull(),
    shown_at: at('shown_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.run_id, t.reader] })],
);

/** Cards are drawn from their plan, not stored here. */
export const messages = countersign.table(
  'messages',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    conversation: text('conversation').notNull(),
    /** From the first message, or null if unknown. In chats, the place determines it. */
    tenant: text('tenant'),
    run_id: text('run_id'),
    author: text('author').$type<'person' | 'bot'>().notNull(),
    name: text('name').notNull(),
    /** Rendered from `parts`, for search, exports and readers without cards. */
    text: text('text').notNull(),
    parts: jsonb('parts').$type<MessageParts>(),
    plan_id: text('plan_id'),
    /** Idempotency key, such as `PLAN-…:completed`. */
    once: text('once'),
    created_at: at('created_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [
    index('messages_conversation').on(t.conversation, t.id),
    index('messages_plan').on(t.plan_id, t.conversation).where(sql`plan_id is not null`),
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
    /** RFC 5545, or null if it rings once. */
    rrule: text('rrule'),
    timezone: text('timezone').notNull(),
    starts_at: at('starts_at').notNull(),
    next_at: at('next_at'),
    created_at: at('created_at').notNull().defaultNow(),
  },
  (t) => [index('reminders_next').on(t.next_at).where(sql`next_at is not null`)],
);
