// Finds lanes with claimable steps, per plan and back end.
import { type SQL, sql } from 'drizzle-orm';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import type { Lane } from '../steps/steps.ts';

type Offer = { operations: string[]; capabilities: string[] };

/** In the order of the index of ready steps, limited: an `exists` may read the whole plan. */
const claimable = sql`(select true from ${countersign}.step_states s where s.plan_id = l.plan_id and s.lane = l.lane
    and s.queued_at <= clock_timestamp()
    order by s.priority desc, s.dependents desc, s.queued_at, s.position limit 1)`;

export async function hasOthersReady(
  tx: Queryable,
  planId: string,
  lanes: number[],
): Promise<boolean> {
  return tx.hasRows(sql`
    select 1 from ${countersign}.plan_lanes l
    where l.plan_id = ${planId} and l.lane <> all(${sql.param(lanes)}::int[]) and ${claimable} limit 1`);
}

/** The rule of `plans/content/serve-lanes.ts`, for many plans. */
const servedBy = (offers: Offer[]): SQL => sql`exists (
  select 1 from jsonb_to_recordset(${JSON.stringify(offers)}::jsonb) as o(operations jsonb, capabilities jsonb)
  where o.operations ? (l.tool || '_' || l.operation) and o.capabilities @> to_jsonb(l.capabilities))`;

/** Nothing of plan `p` is ready, or some back end could claim some of it. */
export const claimableByBackend = sql`(p.ready = 0 or exists (
  select 1 from ${countersign}.plan_lanes l where l.plan_id = p.id
    and (l.tool || '_' || l.operation) = any(backends.operations) and backends.capabilities @> l.capabilities
    and ${claimable}))`;

/** Executing and not paused, in a lane `l` that meets `where`, oldest first. */
async function findPlans(
  db: Queryable,
  where: SQL,
  limit: number,
  after: string | null = null,
): Promise<string[]> {
  return db.values(sql`
    select p.id from ${countersign}.plans p
    cross join lateral (
      select 1 from ${countersign}.plan_lanes l where l.plan_id = p.id and ${where} and ${claimable} limit 1
    ) lane
    where p.status = 'executing' and p.paused_at is null and p.ready > 0
      and (${after}::text is null
        or (p.created_at, p.id) > (select a.created_at, a.id from ${countersign}.plans a where a.id = ${after}))
    order by p.created_at, p.id limit ${limit}`);
}

/**
 * Oldest first. @param after last plan of the previous page. Steps waiting for a pool count, so a page may be full of blocked
 * plans
 */
export function findPlansFor(
  db: Queryable,
  offer: Offer,
  limit: number,
  after: string | null,
): Promise<string[]> {
  const { operations, capabilities } = offer;
  return findPlans(db, servedBy([{ operations, capabilities }]), limit, after);
}

/** Claimable by one of `gone` and none of `left`, oldest first. */
export function findDeserted(
  db: Queryable,
  gone: Offer[],
  left: Offer[],
  limit: number,
): Promise<string[]> {
  return findPlans(db, sql`${servedBy(gone)} and not ${servedBy(left)}`, limit);
}

export async function readClaimableLanes(db: Queryable, planId: string): Promise<Lane[]> {
  return db.rows(sql`
    select l.lane, l.tool, l.operation, l.capabilities, l.pools from ${countersign}.plan_lanes l
    where l.plan_id = ${planId} and ${claimable} order by l.lane`);
}
