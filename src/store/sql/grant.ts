// Granting steps: those that come next are handed out before their turn, with their calls allowed on the record, so that a
// worker can call them as soon as what they need has succeeded, ahead of what is stored. Nothing of the step changes yet:
// whoever stores the success of its prerequisites stores its own with them, or starts it as if nothing had been granted.
import { type SQL, sql } from 'drizzle-orm';
import { contentColumns } from './claim.ts';
import type { StartPlaceholders } from './unblock.ts';

const plan = sql.placeholder('plan');

/**
 * The CTE `granted`, for a recursive statement with a CTE `started(position)` of steps that run from now on: the nearest
 * steps after these that only read and that nothing but prerequisites holds, each with those that are not met. They are
 * all known where the edges that lead to it from here are as many as it waits for, since none of these is met. Each look-up
 * is by an index, whatever Postgres knows of the tables.
 */
export const grantSteps = ({ lanes }: Pick<StartPlaceholders, 'lanes'>): SQL => sql`
  way(predecessor, position, type) as (
    select null::int, position, null::text from started
    union
    select way.position, next.successor, next.type from way cross join lateral (
      select e.successor, e.type from countersign.plan_edges e
      where e.plan_id = ${plan} and e.predecessor = way.position and e.lag_minutes <= 0 offset 0
    ) next
  ),
  reach as materialized (
    select position, array_agg(predecessor) as needs from (
      select predecessor, position from way where predecessor is not null limit ${sql.placeholder('grants')}
    ) nearest
    group by position
  ),
  granted as materialized (
    select state.position, state.step_id, state.lane, 1 as attempt, 1 as tries, state.final_args, content.*, reach.needs
    from reach
    cross join lateral (
      select s.position, s.step_id, s.lane, s.final_args from countersign.step_states s
      where s.plan_id = ${plan} and s.position = reach.position and s.unmet = cardinality(reach.needs)
        and s.position <> all(${sql.placeholder('known')}::int[])
        and s.status = 'pending' and s.attempt = 0 and s.lane = any(${lanes}::int[])
        and ${sql.placeholder('calls')}::jsonb ? s.lane::text and coalesce(s.available_at <= clock_timestamp(), true)
      offset 0
    ) state
    cross join lateral (
      select ${contentColumns} from countersign.plan_steps s
      where s.plan_id = ${plan} and s.position = state.position and s.step_id = state.step_id and s.effect = 'read' offset 0
    ) content
  )`;
