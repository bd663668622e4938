// Whether several organisations share the instance.
import { boolean, text } from 'drizzle-orm/pg-core';
import { countersign } from './columns.ts';

/** One row, from the first process that serves a chat or a sign-in. */
export const tenancy = countersign.table('tenancy', {
  name: text('name').$type<'tenancy'>().primaryKey(),
  /** Several share it and are kept apart; never false again. */
  apart: boolean('apart').notNull(),
  /** Organisations that had the instance to themselves before others joined. */
  owners: text('owners').array().notNull().default([]),
});
