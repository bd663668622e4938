// Steps that a finding holds while they run, or while their outcome is unknown: when they end, they become stale.
import { type SQL, sql } from 'drizzle-orm';

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
