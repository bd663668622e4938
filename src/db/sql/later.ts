// Steps whose work continues after their call: no worker holds a lease.
// `output` identifies the work; `available_at` is the next poll.
import { sql } from 'drizzle-orm';
import type { PlanStatus, Step } from '#domain/plan/plan.ts';
import type { Json } from '#domain/text.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { ofStatus, stepsOf } from '../steps/blocks.ts';
import type { Lease } from './leases.ts';

/** Any worker that learns the result settles the step under this name. */
export const laterOwner = 'later';

export type LaterStep = Lease &
  Pick<Step, 'tool' | 'operation' | 'effect'> & {
    step_id: string;
    output: Json;
    tenant: string | null;
    waited: number;
    /** The plan ended: the work is to be stopped. */
    over: boolean;
    caller_alive: boolean;
  };

/** Times in seconds. */
type LaterTerms = {
  operations: string[];
  over: PlanStatus[];
  /** Others leave taken entries alone for this long. */
  holdSeconds: number;
  /** In an ended plan, any worker may take it after this long. */
  orphanSeconds: number;
  /** The same in a running plan, since its attempt began. */
  longestSeconds: number;
};

/** Each by one worker; if that dies, others take over. */
export async function takeLaterSteps(
  db: Queryable,
  { operations, over, holdSeconds, orphanSeconds, longestSeconds }: LaterTerms,
  limit: number,
): Promise<LaterStep[]> {
  const isOver = sql`p.status in (${sql.join(
    over.map((status) => sql`${status}`),
    sql`, `,
  )})`;
  return db.rows(sql`
    with due as materialized (
      select s.plan_id, s.position, s.attempt, c.tool, c.operation, c.effect, p.tenant, ${isOver} as over
      from ${countersign}.step_blocks b
      cross join ${ofStatus(['running'], sql`s.lease_owner = ${laterOwner}`)}
      join ${countersign}.plans p on p.id = s.plan_id
      join ${countersign}.plan_steps c on c.plan_id = s.plan_id and c.position = s.position
      where b.has_running and s.available_at <= clock_timestamp()
        and (c.tool || '_' || c.operation in (select jsonb_array_elements_text(${JSON.stringify(operations)}::jsonb))
          or s.started_at < clock_timestamp() - make_interval(secs => ${longestSeconds})
          or ${isOver} and s.available_at < clock_timestamp() - make_interval(secs => ${orphanSeconds}))
      order by s.available_at limit ${limit}
    ),
    taken as (
      select s.plan_id, s.position, due.tool, due.operation, due.effect, due.tenant, due.over from ${countersign}.step_states s
      join due using (plan_id, position, attempt)
      where s.status = 'running' and s.lease_owner = ${laterOwner} and s.available_at <= clock_timestamp()
      for no key update of s skip locked
    )
    update ${countersign}.step_states s
    set available_at = clock_timestamp() + make_interval(secs => ${holdSeconds})
    from taken t where s.plan_id = t.plan_id and s.position = t.position
    returning s.plan_id, s.position, s.step_id, s.attempt, t.tool, t.operation, t.effect, s.output, t.tenant, t.over,
      extract(epoch from clock_timestamp() - s.started_at)::float8 as waited,
      exists (select 1 from ${countersign}.backends k
        where k.id = s.output ->> 'caller') as caller_alive`);
}

export async function askAgainLater(
  db: Queryable,
  { plan_id, position, attempt }: Lease,
  ms: number,
): Promise<void> {
  await db.execute(sql`
    update ${countersign}.step_states
    set available_at = clock_timestamp() + make_interval(secs => ${ms / 1000})
    where plan_id = ${plan_id} and position = ${position} and attempt = ${attempt}
      and status = 'running' and lease_owner = ${laterOwner}`);
}

/** After a cancellation. The caller holds the plan's lock. */
export async function hurryLater(tx: Queryable, planId: string): Promise<void> {
  await tx.execute(sql`
    update ${countersign}.step_states t set available_at = clock_timestamp()
    where t.plan_id = ${planId} and t.status = 'running' and t.lease_owner = ${laterOwner}
      and t.position = any(array(
        select position from ${stepsOf(planId, ['running'], sql`s.lease_owner = ${laterOwner}`)}))`);
}
