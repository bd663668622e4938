// Conditions on steps in SQL.
import { type SQL, sql } from 'drizzle-orm';
import { conditionNotMet } from '#domain/plan/condition.ts';

/**
 * Whether the step in the row `alias` of `step_states` was skipped because of a condition. Steps that only wait for it continue,
 * so it counts as met; it is not revived when another step is retried.
 */
export const isSkippedByCondition = (alias: 's' | 'p'): SQL =>
  sql.raw(
    `(${alias}.status = 'skipped' and coalesce(${alias}.error ->> 'code', '') = '${conditionNotMet}')`,
  );

/** Whether the end of the step in the row `alias` of `step_states` satisfies its dependents. */
export const isMet = (alias: 's' | 'p'): SQL =>
  sql`(${sql.raw(alias)}.status = 'succeeded' or ${isSkippedByCondition(alias)})`;
