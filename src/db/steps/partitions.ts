// A plan's partitions for reviewers, counted in the database by page.
import { sql } from 'drizzle-orm';
import type { PartProgress } from '#domain/chat/card.ts';
import type { ReviewRank } from '#domain/plan/review-rank.ts';
import type { StepMatches } from '#domain/plan/views.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { isPresent } from './steps.ts';
import { numberIn, patternsOf, saysWords } from './words.ts';

export type PartitionCounts = {
  name: string;
  steps: number;
  ranks: { rank: ReviewRank; steps: number }[];
  sample: number | null;
};

export async function countByPartition(
  db: Queryable,
  planId: string,
  after: string | null,
  limit: number,
): Promise<PartitionCounts[]> {
  return db.rows(sql`
    select p.name, coalesce(counted.steps, 0)::int as steps, coalesce(counted.ranks, '[]') as ranks, counted.sample
    from (
      select name from ${countersign}.plan_partitions
      where plan_id = ${planId} and (${after}::text is null or name > ${after})
      order by name limit ${limit}
    ) p cross join lateral (
      select sum(steps) as steps,
        json_agg(json_build_object('rank', review_rank, 'steps', steps) order by review_rank desc) as ranks,
        (array_agg(first order by review_rank desc))[1] as sample
      from (
        select c.review_rank, count(*)::int as steps, min(c.position) as first
        from ${countersign}.plan_steps c
        join ${countersign}.step_states s on s.plan_id = c.plan_id and s.position = c.position and ${isPresent}
        where c.plan_id = ${planId} and c.partition = p.name
        group by c.review_rank
      ) r
    ) counted
    order by p.name`);
}

export async function countPartitionProgress(
  db: Queryable,
  planId: string,
  limit: number,
): Promise<PartProgress[]> {
  return db.rows(sql`
    select p.name, coalesce(counted.counts, '{}') as counts
    from (
      select name from ${countersign}.plan_partitions where plan_id = ${planId} order by name limit ${limit}
    ) p cross join lateral (
      select json_object_agg(status, steps) as counts
      from (
        select s.status, count(*)::int as steps
        from ${countersign}.plan_steps c
        join ${countersign}.step_states s on s.plan_id = c.plan_id and s.position = c.position and ${isPresent}
        where c.plan_id = ${planId} and c.partition = p.name
        group by s.status
      ) r
    ) counted
    order by p.name`);
}

export async function countPartitions(db: Queryable, planId: string): Promise<number> {
  const { rows } = await db.execute<{ count: number }>(
    sql`select count(*)::int as count from ${countersign}.plan_partitions where plan_id = ${planId}`,
  );
  return rows[0]?.count ?? 0;
}

const matchingShown = 12;

/** Partitions with the most matches come first. */
export async function countMatches(
  db: Queryable,
  planId: string,
  words: string,
): Promise<StepMatches> {
  const number = numberIn(words);
  const says = saysWords(sql`${sql.param(patternsOf(words))}`, sql`${number}`);
  const { rows } = await db.execute<{
    name: string;
    steps: number;
    total: number;
    partitions: number;
  }>(sql`
    select coalesce(partition, '') as name, count(*)::int as steps, (sum(count(*)) over ())::int as total,
      (count(*) over ())::int as partitions
    from ${countersign}.plan_steps c where plan_id = ${planId} and ${says}
    group by partition order by count(*) desc, min(position) limit ${matchingShown}`);
  const [first] = rows;
  return {
    total: first?.total ?? 0,
    partitions: rows.map(({ name, steps }) => ({ name, steps })),
    partitions_total: first?.partitions ?? 0,
  };
}
