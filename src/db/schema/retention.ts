// Retention tables: what remains of deleted plans, and progress.
import { sql } from 'drizzle-orm';
import { boolean, index, jsonb, text } from 'drizzle-orm/pg-core';
import { at, countersign } from './columns.ts';

/** Lets a link to the plan explain. */
export const deletedPlans = countersign.table(
  'deleted_plans',
  {
    id: text('id').primaryKey(),
    ended_at: at('ended_at').notNull(),
    deleted_at: at('deleted_at').notNull().default(sql`clock_timestamp()`),
    archive: text('archive'),
    /** Its rows in the large tables, deleted in batches, are gone too. */
    emptied: boolean('emptied').notNull().default(false),
  },
  (t) => [index('deleted_plans_rest').on(t.id).where(sql`not emptied`)],
);

export const retention = countersign.table('retention', {
  name: text('name').$type<'retention'>().primaryKey(),
  holder: text('holder'),
  lease_until: at('lease_until'),
  began_at: at('began_at'),
  ended_at: at('ended_at'),
  deleted: jsonb('deleted').$type<Record<string, number>>().notNull().default({}),
  problem: text('problem'),
});
