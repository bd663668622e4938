// A step's predecessors and waiting successors.
import { sql } from 'drizzle-orm';
import type { Step } from '#domain/plan/plan.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';

export async function readWaiting(
  db: Queryable,
  planId: string,
  position: number,
): Promise<Pick<Step, 'args' | 'when'>[]> {
  return db.rows(sql`
    select c.args, coalesce(c."when", '[]') as "when"
    from ${countersign}.plan_edges e
    join ${countersign}.plan_steps c on c.plan_id = e.plan_id and c.position = e.successor
    join ${countersign}.step_states s on s.plan_id = e.plan_id and s.position = e.successor
    where e.plan_id = ${planId} and e.predecessor = ${position} and e.type in ('FS', 'FF') and s.status = 'pending'
    order by e.successor limit 100`);
}

export type Predecessor = Pick<
  Step,
  'id' | 'tool' | 'operation' | 'args' | 'status' | 'output' | 'error'
>;

/** In order. Only those that ask people come with their output. */
export async function readPredecessors(
  db: Queryable,
  planId: string,
  position: number,
): Promise<Predecessor[]> {
  return db.rows(sql`
    select c.step_id as id, c.tool, c.operation, c.args, s.status, s.error,
      case when c.tool = 'human' and s.status = 'succeeded' then s.output end as output
    from ${countersign}.plan_edges e
    join ${countersign}.plan_steps c on c.plan_id = e.plan_id and c.position = e.predecessor
    join ${countersign}.step_states s on s.plan_id = e.plan_id and s.position = e.predecessor
    where e.plan_id = ${planId} and e.successor = ${position} and e.type in ('FS', 'FF')
      and (c.tool = 'human' or s.error ? 'questions')
    order by e.predecessor`);
}
