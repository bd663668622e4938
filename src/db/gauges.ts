// Gauges for metrics. Counts use an index and have a limit.
import { type SQL, sql } from 'drizzle-orm';
import { PlanStatus, StepStatus } from '#domain/plan/plan.ts';
import type { Queryable } from './database.ts';
import { bossSchema } from './instance.ts';
import { countersign } from './schema/columns.ts';

export const maxCounted = 10_000;

type Counted = { kind: string; n: number; oldest: number | null };

const age = (at: SQL) => sql`extract(epoch from clock_timestamp() - ${at})::float8`;

/** With the oldest one's age in seconds. */
export async function countPlansByStatus(db: Queryable): Promise<Counted[]> {
  return db.rows(sql`
    select s.kind, p.n, p.oldest from unnest(${sql.param(PlanStatus.options)}::text[]) s(kind)
    cross join lateral (
      select count(*)::int as n, ${age(sql`min(created_at)`)} as oldest from (
        select created_at from ${countersign}.plans where status = s.kind order by created_at limit ${maxCounted}
      ) counted
    ) p`);
}

/** Plans, changes and steps, and how long the oldest has waited (seconds). */
export async function countWaitingForPeople(db: Queryable): Promise<Counted[]> {
  return db.rows(sql`
    with open as materialized (
      select id, waiting, updated_at from ${countersign}.plans
      where status in ('executing', 'stalled') order by created_at limit ${maxCounted}
    ), proposed as materialized (
      select v.created_at from (
        select id, version from ${countersign}.plans where status in ('proposed', 'needs_review') order by created_at
        limit ${maxCounted}
      ) p join ${countersign}.plan_versions v on v.plan_id = p.id and v.version = p.version
    )
    select 'plan' as kind, count(*)::int as n, ${age(sql`min(created_at)`)} as oldest from proposed
    union all
    select 'change', count(*)::int, ${age(sql`min(p.created_at)`)}
      from open join ${countersign}.plan_patches p on p.plan_id = open.id and p.status = 'needs_approval'
    union all
    select 'step', coalesce(sum(waiting), 0)::int, ${age(sql`min(updated_at)`)} from open where waiting > 0`);
}

/** Due ones, and how long the oldest has waited (seconds). */
export async function countJobs(db: Queryable): Promise<Counted[]> {
  return db.rows(sql`
    select q.name as kind, j.n, j.oldest from ${sql.identifier(bossSchema)}.queue q cross join lateral (
      select count(*)::int as n, ${age(sql`min(due)`)} as oldest from (
        select greatest(created_on, start_after) as due from ${sql.identifier(bossSchema)}.job
        where name = q.name and state < 'active' and not blocked limit ${maxCounted}
      ) waiting where due <= clock_timestamp()
    ) j where q.name not like '\\_\\_%' order by q.name`);
}

type Spending = {
  model: string;
  usd: number;
  input_tokens: number;
  output_tokens: number;
  calls: number;
};

/** Over all processes; calls under way count at their estimate. */
export async function readSpendingByModel(db: Queryable, since: Date): Promise<Spending[]> {
  return db.rows(sql`
    select model, sum(coalesce(cost_usd, estimate_usd))::float8 as usd, count(*)::int as calls,
      coalesce(sum(input_tokens), 0)::float8 as input_tokens, coalesce(sum(output_tokens), 0)::float8 as output_tokens
    from ${countersign}.model_calls where began_at >= ${since.toISOString()}::timestamptz group by model`);
}

export async function countSteps(db: Queryable): Promise<Record<StepStatus, number>> {
  const sums = StepStatus.options.map((status) => `coalesce(sum(${status}), 0)::int as ${status}`);
  const [row] = await db.rows<Record<StepStatus, number>>(sql`
    select ${sql.raw(sums.join(', '))} from (
      select * from ${countersign}.plans where status in ('executing', 'stalled') order by created_at limit ${maxCounted}
    ) open`);
  if (row === undefined) throw new Error('countSteps: no row came back');
  return row;
}
