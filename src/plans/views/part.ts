// Some steps of a plan, closed under dependencies.
import { type SQL, sql } from 'drizzle-orm';
import type { Queryable, Transaction } from '#db/database.ts';
import { countersign } from '#db/schema.ts';
import { changeSteps } from '#db/steps/accounting.ts';
import { readStepsById } from '#db/steps/pages.ts';
import { CountersignError } from '#domain/errors.ts';
import { nameCall } from '#domain/plan/call-words.ts';
import type { Approval } from '#domain/service.ts';
import { operationName } from '#domain/tool.ts';
import { countOf } from '#domain/words.ts';
import { digestJson } from '#tools/catalogue.ts';
import { describeCall } from '#tools/describe-call.ts';

export type Part = { positions: number[]; operations: string[] };

const maxNamed = 20;
const maxDescribed = 5;
const maxMissing = 1000;

/** @throws `unknown_step` */
async function requireKnown(db: Queryable, planId: string, ids: string[]): Promise<void> {
  const { rows } = await db.execute<{ id: string }>(sql`
    select wanted.id from unnest(${sql.param(ids)}::text[]) with ordinality as wanted(id, n)
    left join lateral (
      select 1 as found from ${countersign}.plan_steps s
      where s.plan_id = ${planId} and s.step_id = wanted.id offset 0) f on true
    where f.found is null order by wanted.n limit ${maxNamed}`);
  if (rows.length === 0) return;
  throw new CountersignError(
    'unknown_step',
    `This plan has no step ${rows.map(({ id }) => id).join(', ')}.`,
  );
}

/**
 * `kept` tests a row of `plan_steps`. Looks rows up by key, so that a just-stored plan without statistics is fast.
 * @throws `steps_missing` with all missing prerequisites
 */
async function requireClosed(
  db: Queryable,
  planId: string,
  kept: (step: 's' | 'p') => SQL,
): Promise<void> {
  const leftOut = (successor: SQL) => sql`
    select p.position from ${countersign}.plan_edges e
    join ${countersign}.plan_steps p on p.plan_id = e.plan_id and p.position = e.predecessor
    where e.plan_id = ${planId} and e.successor = ${successor} and not ${kept('p')} offset 0`;
  const { rows } = await db.execute<{ id: string; total: number }>(sql`
    with recursive missing(position) as (
      select p.position from ${countersign}.plan_edges e
      join ${countersign}.plan_steps p on p.plan_id = e.plan_id and p.position = e.predecessor
      join ${countersign}.plan_steps s on s.plan_id = e.plan_id and s.position = e.successor
      where e.plan_id = ${planId} and not ${kept('p')} and ${kept('s')}
      union
      select x.position from missing m cross join lateral (${leftOut(sql`m.position`)}) x
    )
    select s.step_id as id, count(*) over ()::int as total
    from missing m join ${countersign}.plan_steps s on s.plan_id = ${planId} and s.position = m.position
    order by s.position limit ${maxMissing}`);
  if (rows.length === 0) return;
  const total = rows[0]?.total ?? rows.length;
  const first = rows.slice(0, maxDescribed).map(({ id }) => id);
  const names = (await readStepsById(db, planId, first)).map(({ label, tool, operation, args }) => {
    const call = describeCall(operationName(tool, operation), undefined, args);
    return `${label} (${nameCall(call)})`;
  });
  const more = total > names.length ? ` and ${countOf(total - names.length, 'more step')}` : '';
  throw new CountersignError(
    'steps_missing',
    `The steps you approved need ${names.join(', ')}${more}.`,
    { details: { missing: rows.map(({ id }) => id), missing_total: total } },
  );
}

/** Recognises a repeat; null for the whole plan. */
export function partKey({ steps, except }: Approval): string | null {
  if (steps === undefined && except === undefined) return null;
  return digestJson({ steps: steps?.toSorted() ?? null, except: except?.toSorted() ?? null });
}

/** Null for the whole plan. @throws `unknown_step`, `steps_missing`, `invalid_request` */
export async function readPart(
  db: Queryable,
  planId: string,
  { steps, except }: Approval,
): Promise<Part | null> {
  if (steps !== undefined && except !== undefined) {
    throw new CountersignError('invalid_request', 'steps, except: give one of them, not both.');
  }
  const ids = steps ?? except;
  if (ids === undefined) return null;
  await requireKnown(db, planId, ids);
  const chosen = sql`${sql.param(ids)}::text[]`;
  const kept = (step: 's' | 'p') =>
    steps === undefined
      ? sql`(${sql.raw(step)}.step_id <> all(${chosen}))`
      : sql`(${sql.raw(step)}.step_id = any(${chosen}))`;
  await requireClosed(db, planId, kept);
  const { rows } = await db.execute<{ operation: string; positions: number[] }>(sql`
    select s.tool || '_' || s.operation as operation, array_agg(s.position) as positions
    from ${countersign}.plan_steps s where s.plan_id = ${planId} and ${kept('s')} group by 1 order by 1`);
  if (rows.length === 0) {
    throw new CountersignError(
      'unknown_step',
      'Nothing is left to approve: name at least one step, or reject the plan.',
    );
  }
  return {
    operations: rows.map(({ operation }) => operation),
    positions: rows.flatMap(({ positions }) => positions),
  };
}

/** Excludes all other steps and narrows the scope. */
export async function leaveOut(tx: Transaction, planId: string, part: Part): Promise<void> {
  await changeSteps(tx, planId, {
    from: ['pending'],
    to: 'cancelled',
    kind: 'step_left_out',
    detail: 'not approved',
    where: sql`s.position <> all(${sql.param(part.positions)}::int[])`,
  });
  const operations = sql`${sql.param(part.operations)}::text[]`;
  await tx.execute(sql`
    update ${countersign}.plans set tools_required = ${operations},
      guarded_operations = array(
        select name from unnest(guarded_operations) as g(name) where name = any(${operations}) order by 1)
    where id = ${planId}`);
}
