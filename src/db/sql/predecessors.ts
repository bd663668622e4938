// Reads what a step waits for: how those steps stand, and what they put out where they asked a person.
import { sql } from 'drizzle-orm';
import type { Step } from '#domain/plan/plan.ts';
import type { Queryable } from '../database.ts';

export type Predecessor = Pick<
  Step,
  'id' | 'tool' | 'operation' | 'args' | 'status' | 'output' | 'error'
>;

/** The steps whose end the step at `position` waits for, in order. Only those that ask people come with their output. */
export async function readPredecessors(
  db: Queryable,
  planId: string,
  position: number,
): Promise<Predecessor[]> {
  const { rows } = await db.execute<Predecessor>(sql`
    select c.step_id as id, c.tool, c.operation, c.args, s.status, s.error,
      case when c.tool = 'human' and s.status = 'succeeded' then s.output end as output
    from countersign.plan_edges e
    join countersign.plan_steps c on c.plan_id = e.plan_id and c.position = e.predecessor
    join countersign.step_states s on s.plan_id = e.plan_id and s.position = e.predecessor
    where e.plan_id = ${planId} and e.successor = ${position} and e.type in ('FS', 'FF')
      and (c.tool = 'human' or s.error ? 'questions')
    order by e.predecessor`);
  return rows;
}
