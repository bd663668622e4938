// Conditions and holds of steps in SQL. A step that a finding holds while it runs, or while its outcome is unknown, becomes stale when it ends.
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

const isStale = (status: string) =>
  `s.held_by is not null and ${status} not in ('running', 'unknown', 'cancelled')`;

/** `status`, or stale if a finding holds the row `s` of `step_states`. */
export const staleOr = (status: string): SQL =>
  sql.raw(`case when ${isStale(status)} then 'stale' else ${status} end`);

/** Assigns `error`, and for a row that becomes stale, what it would have been. A step that continues keeps its own. */
export const setError = (status: string, error: string): SQL =>
  sql.raw(`error = case when ${status} = 'running' then s.error else nullif(${error}, 'null'::jsonb) end,
    held_by = case when ${status} <> 'cancelled' then s.held_by end,
    was_status = case when ${isStale(status)} then ${status} end,
    was_error = case when ${isStale(status)} then nullif(${error}, 'null'::jsonb) end`);
