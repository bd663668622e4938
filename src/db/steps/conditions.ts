// Conditions on steps in SQL.
import { type SQL, sql } from 'drizzle-orm';
import { conditionNotMet } from '#domain/plan/condition.ts';

/**
 * Skipped because of a condition. Steps that only wait for it continue, so it counts as met; it is not revived when another
 * step is retried. `alias` is a row of `step_states`.
 */
export const isSkippedByCondition = (alias: 's' | 'p'): SQL =>
  sql.raw(
    `(${alias}.status = 'skipped' and coalesce(${alias}.error ->> 'code', '') = '${conditionNotMet}')`,
  );

export const isMet = (alias: 's' | 'p'): SQL =>
  sql`(${sql.raw(alias)}.status = 'succeeded' or ${isSkippedByCondition(alias)})`;
