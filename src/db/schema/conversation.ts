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
    /** The agent that asked for them, or null if they asked themselves. */
    agent: text('agent'),
    /** Whether it is certain who asked. */
    verified: boolean('verified').notNull().default(false),
    /** The organisation it is planned for; null: the instance's own. */
    tenant: text('tenant'),
    conversation: text('conversation').notNull(),
    planning_status: text('planning_status').$type<PlanningStatus>().notNull(),
    /** Counts the turns of this run; a planner's outcome is taken only for the turn it was asked for. */
    turn: integer('turn').notNull().default(1),
    /** The current activity; only meaningful while the run is `running`. */
    activity: jsonb('activity').$type<Activity>(),
    /** How often this turn's planner was sent again because nothing came of it. */
    tries: integer('tries').notNull().default(0),
    request: text('request').notNull(),
    modes: jsonb('modes').$type<PlanningModes>().notNull(),
    /** How the person wants to be talked to in this run only. */
    policy: jsonb('policy').$type<PolicyOverride>().notNull().default({}),
    /**
     * The decision this turn is about, or null for a plain message. `timezone` is the speakers', or the instance's if left
     * out. `tenant` is the decider's if the run has no organisation.
     */
    decision: jsonb('decision').$type<TurnDecision>(),
    /** The question a planning session waits for and where it resumes, or null. */
    pause: jsonb('pause').$type<Pause>(),
    pattern: jsonb('pattern').$type<PatternSpec>(),
    rfc: jsonb('rfc').$type<Rfc>(),
    plan_id: text('plan_id'),
    /** The version and digest last shown in this run: what the word "approve" is about. */
    plan_version: integer('plan_version'),
    plan_digest: text('plan_digest'),
    response_text: text('response_text').notNull().default(''),
    /** The message that `request` is from, and the one that says `response_text`, or null if not known. */
    request_message: bigint('request_message', { mode: 'number' }),
    response_message: bigint('response_message', { mode: 'number' }),
    questions: jsonb('questions').$type<string[]>(),
    escalate_reason: text('escalate_reason'),
    decision_reason: text('decision_reason'),
    planner: text('planner'),
    confidence: doublePrecision('confidence'),
    cost_usd: doublePrecision('cost_usd').notNull().default(0),
    trace: jsonb('trace').$type<TraceEntry[]>().notNull().default([]),
    /** W3C trace context of what asked for the current turn, or null if that was not traced. */
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

/** The turn of a run that a reader last saw over HTTP: at every gateway, a reply without a turn is about this one. */
export const runReaders = countersign.table(
  'run_readers',
  {
    run_id: text('run_id')
      .notNull()
      .references(() => runs.id, { onDelete: 'cascade' }),
    /** The account that signed in, or `local`. */
    reader: text('reader').notNull(),
    turn: integer('turn').notNull(),
    shown_at: at('shown_at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [primaryKey({ columns: [t.run_id, t.reader] })],
);

/** Messages of a conversation. Cards are drawn from their plan, never stored here. */
export const messages = countersign.table(
  'messages',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    conversation: text('conversation').notNull(),
    /** The organisation whose the conversation is, as its first message had it, or null if not known. In chats their place says it. */
    tenant: text('tenant'),
    run_id: text('run_id'),
    author: text('author').$type<'person' | 'bot'>().notNull(),
    name: text('name').notNull(),
    /** Written from `parts`; for search, exports and readers who see no card. */
    text: text('text').notNull(),
    /** The message as data, or null if stored before messages had parts. */
    parts: jsonb('parts').$type<MessageParts>(),
    plan_id: text('plan_id'),
    /** Says a thing once however often it is said again: `PLAN-…:completed`. */
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
