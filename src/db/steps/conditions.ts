// Conditions on steps in SQL.
import { type SQL, sql } from 'drizzle-orm';
import { conditionNotMet } from '#domain/plan/condition.ts';

/**
 * Whether the step in the row `alias` of `step_states` was skipped because of a condition. Steps that only wait for it go
 * on, so it counts as met; it is not taken back when another step is tried again.
 */
export const isSkippedByCondition = (alias: 's' | 'p'): SQL =>
  sql.raw(
    `(${alias}.status = 'skipped' and coalesce(${alias}.error ->> 'code', '') = '${conditionNotMet}')`,
  );

/** Whether the end of the step in the row `alias` of `step_states` meets what waits for it. */
export const isMet = (alias: 's' | 'p'): SQL =>
  sql`(${sql.raw(alias)}.status = 'succeeded' or ${isSkippedByCondition(alias)})`;
