// What chat platforms want to be left alone with.
import { text } from 'drizzle-orm/pg-core';
import { at, countersign } from './columns.ts';

/** Rows of the past say nothing any more, and are deleted by the next one. */
export const rateLimits = countersign.table('rate_limits', {
  /** The platform, the workspace, the method and, where the limit is of one, the channel. */
  key: text('key').primaryKey(),
  until: at('until').notNull(),
});
