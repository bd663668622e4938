// Answers by idempotency key, card presses and chat rate limits.
import { sql } from 'drizzle-orm';
import { index, jsonb, text } from 'drizzle-orm/pg-core';
import { at, countersign } from './columns.ts';

/** Written in the transaction of the request's effect. */
export const keptAnswers = countersign.table(
  'kept_answers',
  {
    key: text('key').primaryKey(),
    request: text('request').notNull(),
    /** Null only while its transaction is open. */
    answer: jsonb('answer').$type<unknown>(),
    at: at('at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [index('kept_answers_at').on(t.at)],
);

/** Written in the transaction of the press's effect. */
export const presses = countersign.table(
  'presses',
  {
    once: text('once').primaryKey(),
    /** Null if it was carried out. */
    refused: jsonb('refused').$type<{ code: string; message: string }>(),
    at: at('at').notNull().default(sql`clock_timestamp()`),
  },
  (t) => [index('presses_at').on(t.at)],
);

/** Expired rows are deleted by the next write. */
export const rateLimits = countersign.table('rate_limits', {
  /** Platform, workspace, method, and the channel if the limit is per channel. */
  key: text('key').primaryKey(),
  /** The platform refuses calls until then. */
  until: at('until').notNull(),
  /** Theoretical arrival time of the generic cell rate algorithm (ITU-T I.371). */
  spent_until: at('spent_until').notNull().default(sql`'-infinity'`),
});
