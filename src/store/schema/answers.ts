// What requests that carried a key were answered, so that one that comes again is answered the same and does nothing.
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
