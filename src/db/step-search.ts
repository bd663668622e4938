// Counts the steps of a plan that match some words, by partition.
import { sql } from 'drizzle-orm';
import type { StepMatches } from '#domain/plan/views.ts';
import type { Queryable } from './database.ts';
import { numberIn, patternsOf, saysWords } from './sql/words.ts';

const partitionsShown = 12;

/** Counts all matches; partitions with the most matches come first. */
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
    from countersign.plan_steps c where plan_id = ${planId} and ${says}
    group by partition order by count(*) desc, min(position) limit ${partitionsShown}`);
  const [first] = rows;
  return {
    total: first?.total ?? 0,
    partitions: rows.map(({ name, steps }) => ({ name, steps })),
    partitions_total: first?.partitions ?? 0,
  };
}
