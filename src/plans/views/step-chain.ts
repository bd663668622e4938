// All prerequisites and dependents of a step.
import { sql } from 'drizzle-orm';
import type { Queryable } from '#db/database.ts';
import { readPlanRow } from '#db/plans/plans.ts';
import { countersign } from '#db/schema.ts';
import { CountersignError } from '#domain/errors.ts';
import type { StepChain } from '#domain/plan/views.ts';

const maxListed = 2000;

/** @param way `needs` follows edges backwards */
async function readWay(
  db: Queryable,
  planId: string,
  stepId: string,
  way: 'needs' | 'needed_by',
): Promise<string[]> {
  const [from, to] =
    way === 'needs'
      ? [sql.raw('successor'), sql.raw('predecessor')]
      : [sql.raw('predecessor'), sql.raw('successor')];
  return db.values(sql`
    with recursive reached(position) as (
      select e.${to} from ${countersign}.plan_steps s
      join ${countersign}.plan_edges e on e.plan_id = s.plan_id and e.${from} = s.position
      where s.plan_id = ${planId} and s.step_id = ${stepId}
      union
      select x.position from reached r cross join lateral (
        select e.${to} as position from ${countersign}.plan_edges e
        where e.plan_id = ${planId} and e.${from} = r.position offset 0) x
    )
    select s.step_id as id from (select position from reached limit ${maxListed + 1}) r
    join ${countersign}.plan_steps s on s.plan_id = ${planId} and s.position = r.position
    order by s.position`);
}

/** @throws `plan_not_found`, `unknown_step` */
export async function readStepChain(
  db: Queryable,
  planId: string,
  stepId: string,
): Promise<StepChain> {
  await readPlanRow(db, planId);
  const { rows } = await db.execute(
    sql`select 1 from ${countersign}.plan_steps where plan_id = ${planId} and step_id = ${stepId}`,
  );
  if (rows.length === 0)
    throw new CountersignError('unknown_step', `This plan has no step ${stepId}.`);
  const needs = await readWay(db, planId, stepId, 'needs');
  const neededBy = await readWay(db, planId, stepId, 'needed_by');
  return {
    needs: needs.slice(0, maxListed),
    needed_by: neededBy.slice(0, maxListed),
    more: needs.length > maxListed || neededBy.length > maxListed,
  };
}
