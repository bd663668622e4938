// Steps that have waited for a person's word for long, found without looking at plans nobody waits in.
import { sql } from 'drizzle-orm';
import { stepsOf } from './blocks.ts';
import type { Queryable } from './database.ts';

/** A question that stays open: `period` is how many times the interval has passed since it was asked. */
export type OverdueQuestion = {
  plan_id: string;
  step_id: string;
  attempt: number;
  period: number;
  /** The key under which it is reminded of once in this period. */
  once: string;
};

/**
 * Up to `limit` steps that wait for a person for at least `everySeconds` and have not been reminded of in the present
 * period, the oldest first. Paused plans and plans without a conversation are left out.
 */
export async function findOverdueQuestions(
  db: Queryable,
  now: Date,
  everySeconds: number,
  limit: number,
): Promise<OverdueQuestion[]> {
  const { rows } = await db.execute<OverdueQuestion>(sql`
    with overdue as (
      select s.plan_id, s.step_id, s.attempt, s.started_at,
        floor(extract(epoch from ${now.toISOString()}::timestamptz - s.started_at) / ${everySeconds}::float8)::int as period
      from countersign.plans p
      cross join lateral ${stepsOf(sql`p.id`, ['waiting'])}
      where p.status in ('executing', 'stalled') and p.waiting > 0 and p.paused_at is null
        and p.conversation is not null
    ),
    named as (
      select *, plan_id || ':step:' || step_id || ':' || attempt || ':reminder:' || period as once
      from overdue where period > 0
    )
    select plan_id, step_id, attempt, period, once from named n
    where not exists (select 1 from countersign.messages m where m.once = n.once)
    order by started_at limit ${limit}`);
  return rows;
}
