// Which organisations share the instance.
import { boolean, text } from 'drizzle-orm/pg-core';
import { countersign } from './columns.ts';

/** The one row of tenancy, written by the first process that serves a chat or lets people sign in. */
export const tenancy = countersign.table('tenancy', {
  name: text('name').$type<'tenancy'>().primaryKey(),
  /** Several share it; once they do they are kept apart for good. */
  apart: boolean('apart').notNull(),
  /** Those that had the instance for themselves before others came. */
  owners: text('owners').array().notNull().default([]),
});
