// A plan's state for replanning: due findings, tries, covered steps.
import { type SQL, sql } from 'drizzle-orm';
import type { StepStatus } from '#domain/plan/plan.ts';
import { pairOf } from '#domain/plan/replan.ts';
import type { Effect } from '#domain/tool.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { waitingPatch } from '../sql/patch-reads.ts';
import { stepsOf } from '../steps/blocks.ts';

const underWay: StepStatus[] = ['pending', 'ready', 'running', 'waiting', 'unknown', 'stale'];

/** The latest try (0 if none), and whether one is under way. */
export async function readTries(
  db: Queryable,
  planId: string,
): Promise<{ latest: number; underWay: boolean }> {
  const { rows } = await db.execute<{ latest: number; under_way: boolean }>(sql`
    select coalesce(max(k), 0)::int as latest, coalesce(bool_or(s.status = any(${sql.param(underWay)}::text[])), false) as under_way
    from generate_series(1, (select coalesce(sum(replans), 0)::int from ${countersign}.plan_findings where plan_id = ${planId})) k
    join ${countersign}.plan_steps c on c.plan_id = ${planId} and c.step_id = ${pairOf('').verify} || k
    join ${countersign}.step_states s on s.plan_id = c.plan_id and s.position = c.position`);
  return { latest: rows[0]?.latest ?? 0, underWay: rows[0]?.under_way ?? false };
}

/** Serious, with stale steps, and unhandled. */
const fresh = sql.raw(
  "(f.status = 'open' and f.replans = 0 and f.severity in ('ERROR', 'CRITICAL') and f.stale_steps > 0)",
);

const isDue = (automatic: boolean): SQL =>
  automatic ? sql`(f.status = 'replanning' or ${fresh})` : sql`f.status = 'replanning'`;

export type DueFinding = {
  id: string;
  replans: number;
  /** Findings of the same kind about the same steps that were replanned before. */
  earlier: number;
};

export async function findDueFindings(
  db: Queryable,
  planId: string,
  automatic: boolean,
): Promise<DueFinding[]> {
  return db.rows(sql`
    select f.id, f.replans, (
      select count(*)::int from ${countersign}.plan_findings e
      where e.plan_id = f.plan_id and e.id <> f.id and e.category = f.category and e.created_at <= f.created_at
        and e.step_id is not distinct from f.step_id and e.partition is not distinct from f.partition and e.replans > 0
    ) as earlier
    from ${countersign}.plan_findings f where f.plan_id = ${planId} and ${isDue(automatic)}
    order by f.status = 'replanning' desc, f.created_at, f.id`);
}

export async function findPlansToReplan(
  db: Queryable,
  automatic: boolean,
  limit: number,
): Promise<string[]> {
  return db.values(sql`
    select distinct p.id from ${countersign}.plan_findings f join ${countersign}.plans p on p.id = f.plan_id
    where f.status in ('open', 'replanning') and ${isDue(automatic)} and p.status = 'executing'
      and ${waitingPatch(sql`p.id`)} is null
    order by 1 limit ${limit}`);
}

export type CoveredStep = { id: string; position: number; status: StepStatus; effect: Effect };

/** A from item `s`: covered rows of `step_states`. */
export const coveredBy = (planId: string, findingId: string, statuses: StepStatus[]): SQL =>
  stepsOf(planId, statuses, sql`${findingId} = any(s.held_by)`);

export async function readCovered(
  db: Queryable,
  planId: string,
  findingId: string,
  statuses: StepStatus[],
): Promise<CoveredStep[]> {
  return db.rows(sql`
    select c.step_id as id, c.position, s.status, c.effect
    from ${coveredBy(planId, findingId, statuses)}
    join ${countersign}.plan_steps c on c.plan_id = s.plan_id and c.position = s.position
    order by c.position`);
}

/** Done steps that it is about, unless stale themselves. */
export async function readSources(
  db: Queryable,
  {
    plan_id,
    step_id,
    partition,
  }: { plan_id: string; step_id: string | null; partition: string | null },
): Promise<CoveredStep[]> {
  if (step_id === null && partition === null) return [];
  return db.rows(sql`
    select c.step_id as id, c.position, s.status, c.effect
    from ${countersign}.plan_steps c
    join ${countersign}.step_states s on s.plan_id = c.plan_id and s.position = c.position
    where c.plan_id = ${plan_id} and (c.step_id = ${step_id} or c.partition = ${partition})
      and c.effect = 'read' and s.status in ('succeeded', 'failed')
    order by c.position`);
}
