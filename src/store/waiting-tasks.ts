// Tasks that wait for people, whoever they are for, without looking at plans nobody waits in.
import { sql } from 'drizzle-orm';
import { stepsOf } from './blocks.ts';
import type { Queryable } from './database.ts';

const tasksAtMost = 500;

/** Open tasks, the oldest first: the plan, and whom it was asked of. */
export async function readWaitingTasks(
  db: Queryable,
): Promise<{ plan_id: string; assignee: string }[]> {
  const { rows } = await db.execute<{ plan_id: string; assignee: string }>(sql`
    select s.plan_id, s.output ->> 'assignee' as assignee
    from countersign.plans p
    cross join lateral ${stepsOf(sql`p.id`, ['waiting'])}
    where p.status in ('executing', 'stalled') and p.waiting > 0 and s.output ->> 'assignee' is not null
    order by s.started_at limit ${tasksAtMost}`);
  return rows;
}

/** Plans with a change that waits for an approval. */
export async function readChangedPlans(db: Queryable, limit: number): Promise<string[]> {
  const { rows } = await db.execute<{ id: string }>(sql`
    select id from countersign.plans where pending_patch is not null
    order by updated_at desc limit ${limit}`);
  return rows.map(({ id }) => id);
}
