// The schema name and shared column types.
import { customType, integer, pgSchema, timestamp } from 'drizzle-orm/pg-core';
import { schemaName } from '../instance.ts';

export const countersign = pgSchema(schemaName);

export const at = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' });
export const bytes = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
const counter = (name: string) => integer(name).notNull().default(0);

/** Kept by the statements that change statuses. */
export const counters = {
  pending: counter('pending'),
  ready: counter('ready'),
  running: counter('running'),
  waiting: counter('waiting'),
  succeeded: counter('succeeded'),
  failed: counter('failed'),
  skipped: counter('skipped'),
  cancelled: counter('cancelled'),
  stale: counter('stale'),
  unknown: counter('unknown'),
};
