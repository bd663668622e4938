// Finds steps by status without an index on statuses: counts are kept per block of positions (`step_blocks`), so a status
// change updates no index.
import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import { StepStatus } from '#domain/plan/plan.ts';
import { countersign } from '../schema/columns.ts';

/** A block has 2 to the power of this positions; must match the migration that made `step_blocks`. */
const bits = 7;

export const blockOf = (column: string): SQL => sql.raw(`${column} >> ${bits}`);

const listOf = (statuses: readonly StepStatus[]) =>
  sql.raw(statuses.map((status) => `'${status}'`).join(', '));

/** First and last position of block `b`. */
const ofBlock = sql.raw(
  `s.position between b.block << ${bits} and (b.block << ${bits}) + ${2 ** bits - 1}`,
);

/**
 * A lateral from item `s` of `step_states`, for a statement whose from list has `step_blocks b` before it, restricted to
 * `hasSome(statuses)`. `where` is on `s`.
 */
export const ofStatus = (
  statuses: readonly StepStatus[],
  where: SQL = sql`true`,
): SQL => sql`lateral (
  select * from ${countersign}.step_states s
  where s.plan_id = b.plan_id and ${ofBlock} and s.status in (${listOf(statuses)}) and ${where}
  offset 0
) s`;

/** Block `b` has steps of one of `statuses`. */
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

/** Steps of block `b` in the array `statuses`, of ten possible ones. */
const countIn = (statuses: Placeholder): SQL =>
  sql`(${sql.join(
    StepStatus.options.map(
      (status) =>
        sql`case when ${sql.raw(`'${status}'`)} = any(${statuses}::text[]) then ${sql.raw(`b.${status}`)} else 0 end`,
    ),
    sql` + `,
  )})`;

/**
 * Reads only the blocks needed, plus one for positions up to `after`. One statement for all sets of statuses, so that Postgres
 * does not keep a prepared statement for each.
 */
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
