// Finds steps by status through counts per block (`step_blocks`).
// Without an index on statuses, a status change updates no index.
import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import { StepStatus } from '#domain/plan/plan.ts';
import { countersign } from '../schema/columns.ts';

/** 2 to the power of this positions a block; must match the migration of `step_blocks`. */
const bits = 7;

export const blockOf = (column: string): SQL => sql.raw(`${column} >> ${bits}`);

const listOf = (statuses: readonly StepStatus[]) =>
  sql.raw(statuses.map((status) => `'${status}'`).join(', '));

const ofBlock = sql.raw(
  `s.position between b.block << ${bits} and (b.block << ${bits}) + ${2 ** bits - 1}`,
);

/** A lateral from item `s` of `step_states`, after `step_blocks b` with `hasSome(statuses)`. `where` is on `s`. */
export const ofStatus = (
  statuses: readonly StepStatus[],
  where: SQL = sql`true`,
): SQL => sql`lateral (
  select * from ${countersign}.step_states s
  where s.plan_id = b.plan_id and ${ofBlock} and s.status in (${listOf(statuses)}) and ${where}
  offset 0
) s`;

const hasSome = (statuses: readonly StepStatus[]) =>
  sql.raw(`${statuses.map((status) => `b.${status}`).join(' + ')} > 0`);

/** A from item `s`. `where` is on `s`. */
export const stepsOf = (
  planId: string | Placeholder | SQL,
  statuses: readonly StepStatus[],
  where: SQL = sql`true`,
): SQL => sql`(
  select s.* from ${countersign}.step_blocks b cross join ${ofStatus(statuses, where)}
  where b.plan_id = ${planId} and ${hasSome(statuses)}
) s`;

const countIn = (statuses: Placeholder): SQL =>
  sql`(${sql.join(
    StepStatus.options.map(
      (status) =>
        sql`case when ${sql.raw(`'${status}'`)} = any(${statuses}::text[]) then ${sql.raw(`b.${status}`)} else 0 end`,
    ),
    sql` + `,
  )})`;

/** Reads only the blocks needed. One statement for all statuses, since Postgres keeps each prepared one. */
export const firstOf = (
  planId: Placeholder,
  statuses: Placeholder,
  after: Placeholder,
  limit: Placeholder,
): SQL => sql`
  with counted as (
    select b.plan_id, b.block, ${countIn(statuses)} as n from ${countersign}.step_blocks b
    where b.plan_id = ${planId} and b.block >= (${after}::int + 1) >> ${sql.raw(`${bits}`)}
  ),
  b as materialized (
    select plan_id, block from (
      select plan_id, block, sum(n) over (order by block) - n as before from counted where n > 0
    ) summed where before < ${limit}::int + ${sql.raw(`${2 ** bits}`)}
  )
  select s.* from b cross join lateral (
    select * from ${countersign}.step_states s
    where s.plan_id = b.plan_id and ${ofBlock} and s.status = any(${statuses}::text[]) and s.position > ${after}::int
    offset 0
  ) s
  order by s.position limit ${limit}::int`;
