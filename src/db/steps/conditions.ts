// Conditions and holds of steps in SQL.
import { type SQL, sql } from 'drizzle-orm';
import { conditionNotMet } from '#domain/plan/condition.ts';

/** Counts as met, and is not revived by another step's retry. `alias` is a row of `step_states`. */
export const isSkippedByCondition = (alias: 's' | 'p'): SQL =>
  sql.raw(
    `(${alias}.status = 'skipped' and coalesce(${alias}.error ->> 'code', '') = '${conditionNotMet}')`,
  );

export const isMet = (alias: 's' | 'p'): SQL =>
  sql`(${sql.raw(alias)}.status = 'succeeded' or ${isSkippedByCondition(alias)})`;

const isStale = (status: string) =>
  `s.held_by is not null and ${status} not in ('running', 'unknown', 'cancelled')`;

/** `status`, or stale if a finding holds the row `s`. */
export const staleOr = (status: string): SQL =>
  sql.raw(`case when ${isStale(status)} then 'stale' else ${status} end`);

/** For a row that becomes stale, also stores what it would have been. */
export const setError = (status: string, error: string): SQL =>
  sql.raw(`error = case when ${status} = 'running' then s.error else nullif(${error}, 'null'::jsonb) end,
    held_by = case when ${status} <> 'cancelled' then s.held_by end,
    was_status = case when ${isStale(status)} then ${status} end,
    was_error = case when ${isStale(status)} then nullif(${error}, 'null'::jsonb) end`);
