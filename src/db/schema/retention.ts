// Tables of retention: what is left of deleted plans, and how far the deletion has come.
import { sql } from 'drizzle-orm';
import { boolean, index, jsonb, text } from 'drizzle-orm/pg-core';
import { at, countersign } from './columns.ts';

/** A plan that retention deleted: so much stays of it, so that a link to it says what became of it. */
export const deletedPlans = countersign.table(
  'deleted_plans',
  {
    id: text('id').primaryKey(),
    ended_at: at('ended_at').notNull(),
    deleted_at: at('deleted_at').notNull().default(sql`clock_timestamp()`),
    /** The file of the archive that has its record, or null if it was deleted without. */
    archive: text('archive'),
    /** Its rows in the large tables are gone as well; until then they are deleted in parts. */
    emptied: boolean('emptied').notNull().default(false),
  },
  (t) => [index('deleted_plans_rest').on(t.id).where(sql`not emptied`)],
);

/** The one row of retention: who deletes now, and what came of it. */
export const retention = countersign.table('retention', {
  name: text('name').$type<'retention'>().primaryKey(),
  /** No other process deletes until `lease_until`. */
  holder: text('holder'),
  lease_until: at('lease_until'),
  began_at: at('began_at'),
  /** When the last round came to its end. */
  ended_at: at('ended_at'),
  /** Rows deleted by kind, since the beginning. */
  deleted: jsonb('deleted').$type<Record<string, number>>().notNull().default({}),
  /** Why the last round left something, or null if it did not. */
  problem: text('problem'),
});
