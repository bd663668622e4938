// Retention tables: remains of deleted plans, and the progress of deletion.
import { sql } from 'drizzle-orm';
import { boolean, index, jsonb, text } from 'drizzle-orm/pg-core';
import { at, countersign } from './columns.ts';

/** Kept of a plan that retention deleted, so that a link to it can explain. */
export const deletedPlans = countersign.table(
  'deleted_plans',
  {
    id: text('id').primaryKey(),
    ended_at: at('ended_at').notNull(),
    deleted_at: at('deleted_at').notNull().default(sql`clock_timestamp()`),
    /** The archive file with its record, or null if none. */
    archive: text('archive'),
    /** Its rows in the large tables are gone too; they are deleted in batches. */
    emptied: boolean('emptied').notNull().default(false),
  },
  (t) => [index('deleted_plans_rest').on(t.id).where(sql`not emptied`)],
);

/** The single retention row: the current holder and the last results. */
export const retention = countersign.table('retention', {
  name: text('name').$type<'retention'>().primaryKey(),
  /** The exclusive deleter until `lease_until`. */
  holder: text('holder'),
  lease_until: at('lease_until'),
  began_at: at('began_at'),
  /** When the last round ended. */
  ended_at: at('ended_at'),
  /** Total deleted rows by kind. */
  deleted: jsonb('deleted').$type<Record<string, number>>().notNull().default({}),
  /** Why the last round was incomplete, or null if it wasn't. */
  problem: text('problem'),
});
