// Answers to requests with an idempotency key, so that a repeated request gets the same answer and does nothing.
import { sql } from 'drizzle-orm';
import { index, jsonb, text } from 'drizzle-orm/pg-core';
import { at, countersign } from './columns.ts';

/** Stands in the transaction of what the request did. */
export const keptAnswers = countersign.table(
  'kept_answers',
  {
    /** The path of the request and the key its sender chose. */
    key: text('key').primaryKey(),
    /** Digest of the request. */
    request: text('request').notNull(),
    /** null: only while its transaction is open. */
    answer: jsonb('answer').$type<unknown>(),
    at: at('at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [index('kept_answers_at').on(t.at)],
);

// Presses on cards in chats that were decided about: carried out once, or refused once, however often they are tried.

/** Stands in the transaction of what the press does. */
export const presses = countersign.table(
  'presses',
  {
    /** The press's own name. */
    once: text('once').primaryKey(),
    /** Why nothing was done, or null if it was. */
    refused: jsonb('refused').$type<{ code: string; message: string }>(),
    at: at('at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [index('presses_at').on(t.at)],
);

// Rate limits of chat platforms: refusals and recent calls.

/** Rows of the past say nothing any more, and are deleted by the next one. */
export const rateLimits = countersign.table('rate_limits', {
  /** The platform, the workspace, the method and, where the limit is of one, the channel. */
  key: text('key').primaryKey(),
  /** The platform refuses it until then. */
  until: at('until').notNull(),
  /** The theoretical arrival time of the generic cell rate algorithm (ITU-T I.371). */
  spent_until: at('spent_until').notNull().default(sql`'-infinity'`),
});
