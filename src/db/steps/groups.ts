// Counts steps by group, and dependencies between groups.
import { type SQL, sql } from 'drizzle-orm';
import type { StepCounts } from '#domain/plan/plan.ts';
import { StepStatus } from '#domain/plan/plan.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { isoOf } from '../time.ts';
import { isPresent } from './steps.ts';

/** `stages`: by position, from 1. */
export type Grouping =
  | { by: 'partition' }
  | { by: 'operation' }
  | { by: 'stage'; stages: ArrayLike<number> };

export type GroupRow = StepCounts & {
  key: string;
  first: number;
  steps: number;
  started_at: string | null;
  ended_at: string | null;
  /** Seconds from the origin of the given times. */
  begins: number | null;
  ends: number | null;
  critical: number;
  groups: number;
  all_steps: number;
};

/** Seconds by position, from 1; `ends` determine the plan's end. */
export type GroupTimes = {
  begins: ArrayLike<number>;
  ends: ArrayLike<number>;
};

const arrayOf = (numbers: ArrayLike<number>) =>
  sql`(${`{${Array.from(numbers).join(',')}}`}::int[])`;

/** For the row `s` of `step_states`. */
function keyOf(grouping: Grouping): { key: SQL; join: SQL } {
  switch (grouping.by) {
    case 'partition':
      return { key: sql`coalesce(s.partition, '')`, join: sql`` };
    case 'operation':
      return {
        key: sql`l.tool || '_' || l.operation`,
        join: sql`join ${countersign}.plan_lanes l on l.plan_id = s.plan_id and l.lane = s.lane`,
      };
    case 'stage':
      return { key: sql`(${arrayOf(grouping.stages)}[s.position])::text`, join: sql`` };
    default:
      return grouping satisfies never;
  }
}

const counted = sql.join(
  StepStatus.options.map((status) =>
    sql.raw(`(count(*) filter (where status = '${status}'))::int as ${status}`),
  ),
  sql`, `,
);

export async function countGroups(
  db: Queryable,
  planId: string,
  grouping: Grouping,
  { times, critical }: { times: GroupTimes | null; critical: number[] },
  limit: number,
): Promise<GroupRow[]> {
  const { key, join } = keyOf(grouping);
  const of = (column: ArrayLike<number> | undefined) =>
    column === undefined ? sql`null::int` : sql`${arrayOf(column)}[position]`;
  return db.rows(sql`
    with grouped as (
      select key, min(position) as first, count(*)::int as steps, ${counted},
        ${isoOf(sql`min(started_at)`, 'milliseconds')} as started_at,
        case when bool_and(status in ('succeeded', 'failed', 'skipped', 'cancelled'))
          then ${isoOf(sql`max(ended_at)`, 'milliseconds')} end as ended_at,
        min(${of(times?.begins)}) as begins, max(${of(times?.ends)}) as ends,
        (count(*) filter (where position = any(${arrayOf(critical)})))::int as critical
      from (
        select s.position, s.status, s.started_at, s.ended_at, ${key} as key
        from ${countersign}.step_states s ${join} where s.plan_id = ${planId} and ${isPresent}
      ) member group by key
    )
    select *, (count(*) over ())::int as groups, (sum(steps) over ())::int as all_steps
    from grouped order by first limit ${limit}`);
}

/** Up to `most`; and whether any step waits for another. */
export async function countKinds(
  db: Queryable,
  planId: string,
  most: number,
): Promise<{ partitions: number; unpartitioned: boolean; operations: number; links: boolean }> {
  const { rows } = await db.execute<{
    partitions: number;
    unpartitioned: boolean;
    operations: number;
    links: boolean;
  }>(sql`
    select (select count(*) from (
        select 1 from ${countersign}.plan_partitions where plan_id = ${planId} limit ${most}) p)::int as partitions,
      coalesce((select sum(pending + ready + running + waiting + succeeded + failed + skipped + cancelled + stale + unknown)
        from ${countersign}.plan_partitions where plan_id = ${planId}), 0)
        < (select total from ${countersign}.plans where id = ${planId}) as unpartitioned,
      (select count(distinct (tool, operation)) from ${countersign}.plan_lanes where plan_id = ${planId})::int as operations,
      exists (select 1 from ${countersign}.plan_edges where plan_id = ${planId} limit 1) as links`);
  return rows[0] ?? { partitions: 0, unpartitioned: true, operations: 0, links: false };
}

export async function countGroupLinks(
  db: Queryable,
  planId: string,
  grouping: Grouping,
  keys: string[],
  limit: number,
): Promise<{ edges: { from: string; to: string; dependencies: number }[]; total: number }> {
  const { key, join } = keyOf(grouping);
  const { rows } = await db.execute<{
    from: string;
    to: string;
    dependencies: number;
    total: number;
  }>(sql`
    with member as materialized (
      select * from (
        select s.position, ${key} as key
        from ${countersign}.step_states s ${join} where s.plan_id = ${planId} and ${isPresent}
      ) m where key = any(${sql.param(keys)}::text[])
    )
    select a.key as "from", b.key as "to", count(*)::int as dependencies, (count(*) over ())::int as total
    from ${countersign}.plan_edges e
    join member a on a.position = e.predecessor
    join member b on b.position = e.successor
    where e.plan_id = ${planId} and a.key <> b.key
    group by a.key, b.key order by count(*) desc, a.key, b.key limit ${limit}`);
  const edges = rows.map(({ total: _, ...edge }) => edge);
  return { edges, total: rows[0]?.total ?? 0 };
}
