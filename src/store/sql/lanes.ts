// Which lanes of which plans have steps that can be claimed now.
import { sql } from 'drizzle-orm';
import type { Queryable } from '../database.ts';
import type { Lane } from '../steps.ts';

/** In the order of the index of ready steps and with a limit: an `exists` may be planned to pass over the whole plan. */
const claimable = sql.raw(
  `(select true from countersign.step_states s where s.plan_id = l.plan_id and s.lane = l.lane
    and s.queued_at <= clock_timestamp()
    order by s.priority desc, s.dependents desc, s.queued_at, s.position limit 1)`,
);

/** Whether a step outside `lanes` can be claimed now. */
export async function hasOthersReady(
  tx: Queryable,
  planId: string,
  lanes: number[],
): Promise<boolean> {
  const { rows } = await tx.execute(sql`
    select 1 from countersign.plan_lanes l
    where l.plan_id = ${planId} and l.lane <> all(${sql.param(lanes)}::int[]) and ${claimable} limit 1`);
  return rows.length > 0;
}

/** Lanes with claimable steps of executing plans that are not paused, those that changed longest ago first. */
export async function findClaimableLanes(
  db: Queryable,
  limit: number,
): Promise<(Lane & { plan_id: string })[]> {
  const { rows } = await db.execute<Lane & { plan_id: string }>(sql`
    select l.plan_id, l.lane, l.tool, l.operation, l.capabilities, l.pools
    from (
      select id from countersign.plans
      where status = 'executing' and paused_at is null and ready > 0 order by updated_at limit ${limit}
    ) p
    join countersign.plan_lanes l on l.plan_id = p.id where ${claimable}`);
  return rows;
}

/** Lanes of one plan with claimable steps. */
export async function readClaimableLanes(db: Queryable, planId: string): Promise<Lane[]> {
  const { rows } = await db.execute<Lane>(sql`
    select l.lane, l.tool, l.operation, l.capabilities, l.pools from countersign.plan_lanes l
    where l.plan_id = ${planId} and ${claimable} order by l.lane`);
  return rows;
}
