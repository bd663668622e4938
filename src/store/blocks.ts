// Steps of a status, found without an index of statuses: counts are kept for each block of positions (`step_blocks`), and
// only blocks that have some are read. So a step that changes its status changes no index.
import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import { StepStatus } from '#contracts/plan.ts';

/** A block has 2 to the power of this positions; the migration that made `step_blocks` says the same. */
const bits = 7;

/** The block of the position in `column`. */
export const blockOf = (column: string): SQL => sql.raw(`${column} >> ${bits}`);

/** `statuses` in one order, each once, and nothing else: they become a part of the statement. */
const inOrder = (statuses: readonly StepStatus[]): StepStatus[] =>
  StepStatus.options.filter((status) => statuses.includes(status));

/** A number for each set of statuses: names of statements are short. */
export const numberOf = (statuses: readonly StepStatus[]): number =>
  statuses.reduce((set, status) => set | (1 << StepStatus.options.indexOf(status)), 0);

const listOf = (statuses: readonly StepStatus[]) =>
  sql.raw(
    inOrder(statuses)
      .map((status) => `'${status}'`)
      .join(', '),
  );
const countOf = (statuses: readonly StepStatus[]) =>
  sql.raw(
    inOrder(statuses)
      .map((status) => `b.${status}`)
      .join(' + '),
  );

/** The first and the last position of block `b`. */
const ofBlock = sql.raw(
  `s.position between b.block << ${bits} and (b.block << ${bits}) + ${2 ** bits - 1}`,
);

/**
 * A lateral from item `s` with the rows of `step_states` of one of `statuses` (and that meet `where`, on `s`), for a
 * statement whose from list has `step_blocks b` before it, restricted to `hasSome(statuses)`.
 */
export const ofStatus = (
  statuses: readonly StepStatus[],
  where: SQL = sql`true`,
): SQL => sql`lateral (
  select * from countersign.step_states s
  where s.plan_id = b.plan_id and ${ofBlock} and s.status in (${listOf(statuses)}) and ${where}
  offset 0
) s`;

/** Whether block `b` has steps of one of `statuses`. */
const hasSome = (statuses: readonly StepStatus[]): SQL => sql`${countOf(statuses)} > 0`;

/** A from item `s`: every step of `planId` that has one of `statuses` (and meets `where`, on `s`). */
export const stepsOf = (
  planId: string | Placeholder | SQL,
  statuses: readonly StepStatus[],
  where: SQL = sql`true`,
): SQL => sql`(
  select s.* from countersign.step_blocks b cross join ${ofStatus(statuses, where)}
  where b.plan_id = ${planId} and ${hasSome(statuses)}
) s`;

/**
 * A query of the first `limit` steps of `planId` after position `after` that have one of `statuses`, in the order of
 * positions. No more blocks are read than have that many, one more for those before `after`.
 */
export const firstOf = (
  planId: Placeholder,
  statuses: readonly StepStatus[],
  after: Placeholder,
  limit: Placeholder,
): SQL => sql`
  with b as materialized (
    select plan_id, block from (
      select b.plan_id, b.block, sum(${countOf(statuses)}) over (order by b.block) - (${countOf(statuses)}) as before
      from countersign.step_blocks b
      where b.plan_id = ${planId} and b.block >= (${after}::int + 1) >> ${sql.raw(`${bits}`)} and ${hasSome(statuses)}
    ) counted where before < ${limit}::int + ${sql.raw(`${2 ** bits}`)}
  )
  select s.* from b cross join ${ofStatus(statuses, sql`s.position > ${after}::int`)}
  order by s.position limit ${limit}::int`;
