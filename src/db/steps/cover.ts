// Steps that a finding covers while they run, or while their outcome is unknown: when they end, they become stale.
import { type SQL, sql } from 'drizzle-orm';
import { schemaName } from '../instance.ts';

/** `status`, or stale if a finding covers the row `s` of `step_states`. */
export const staleOr = (status: string): SQL =>
  sql.raw(
    `case when s.error ? 'finding' and ${status} not in ('unknown', 'cancelled') then 'stale' else ${status} end`,
  );

/**
 * A covering finding stays in the error, with the status that the row `s` would have; for an unknown outcome its own reason
 * stays first until a person settles it.
 */
export const keepCover = (status: string, error: string): SQL =>
  sql.raw(`case
    when not coalesce(s.error ? 'finding', false) or ${status} = 'cancelled' then nullif(${error}, 'null'::jsonb)
    when ${status} = 'unknown' then coalesce(nullif(${error}, 'null'::jsonb), '{}') || s.error - '{code,message}'::text[]
    else (s.error - '{code,message}'::text[]) || jsonb_build_object('code', 'stale',
      'message', (select left(f.message, 200) from "${schemaName}".plan_findings f where f.id = s.error ->> 'finding'),
      'was', jsonb_build_object('status', ${status}, 'error', nullif(${error}, 'null'::jsonb)))
  end`);
