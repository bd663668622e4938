// Moves steps to a new status and counts them in one statement.
// Every statement with a CTE `changed` updates the counters of plan, partitions and blocks, the revision, and the change stream.
import { type Placeholder, type SQL, sql } from 'drizzle-orm';
import { StepCounts, StepStatus } from '#domain/plan/plan.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { blockOf } from './blocks.ts';
import { insertEvents } from './events.ts';

const statuses = StepStatus.options;

function deltaOf(status: StepStatus): SQL {
  const name = sql.identifier(status);
  return sql`(count(*) filter (where to_status = ${sql.raw(`'${status}'`)}) - count(*) filter (where from_status = ${sql.raw(`'${status}'`)}))::int as ${name}`;
}

const deltas = sql.join(statuses.map(deltaOf), sql`, `);
const apply = (table: string) =>
  sql.join(
    statuses.map((s) => sql.raw(`${s} = ${table}.${s} + d.${s}`)),
    sql`, `,
  );
const columns = sql.raw(statuses.map((s) => `p.${s}`).join(', '));

// `countersign.counted` makes the triggers of `step_states` skip the blocks, which are counted here.
/**
 * CTEs after `changed(position, step_id, partition, from_status, to_status, kind, detail)`. The last, `plan`, has the new
 * revision and counters, if any. The caller holds the plan's lock.
 */
export function accounting(planId: string | Placeholder): SQL {
  return sql`
    delta as materialized (
      select count(*)::int as n, ${deltas}, set_config('countersign.counted', 'on', true) as told from changed
    ),
    plan as (
      update ${countersign}.plans p
      set revision = p.revision + d.n, updated_at = clock_timestamp(), ${apply('p')}
      from delta d where p.id = ${planId} and d.n > 0
      returning p.revision, d.n, p.total, ${columns}
    ),
    partition_delta as (
      select partition, ${deltas} from changed where partition is not null group by partition
    ),
    partitions as (
      update ${countersign}.plan_partitions p set ${apply('p')}
      from partition_delta d where p.plan_id = ${planId} and p.name = d.partition
    ),
    block_delta as materialized (
      select ${blockOf('position')} as block, ${deltas} from changed group by 1
    ),
    blocks as (
      update ${countersign}.step_blocks p set ${apply('p')}
      from block_delta d
      where p.plan_id = ${planId} and p.block = d.block and p.block = any(array(select block from block_delta))
    ),
    events as (${insertEvents(planId)})`;
}

export const countEach = (count: (status: StepStatus) => number): StepCounts =>
  StepCounts.parse(Object.fromEntries(statuses.map((status) => [status, count(status)])));

export const countsOf = (row: StepCounts): StepCounts => countEach((status) => row[status]);

/** They can still change without a person's retry. */
export function openSteps(counts: StepCounts): number {
  return (
    counts.pending + counts.ready + counts.running + counts.waiting + counts.unknown + counts.stale
  );
}

export type PlanProgress = StepCounts & { revision: number; total: number; n: number };

export function progressOf<Row extends PlanProgress>(row: Row | undefined): PlanProgress | null {
  return row?.revision == null ? null : row;
}

/**
 * Those in `from` that meet `where` (on `s`). The caller holds the plan's lock. @param set further assignments @returns null if
 * none
 */
export async function changeSteps(
  tx: Queryable,
  planId: string,
  change: {
    from: readonly [StepStatus, ...StepStatus[]];
    to: StepStatus;
    kind: string;
    detail?: string;
    where?: SQL;
    set?: SQL;
  },
): Promise<PlanProgress | null> {
  const { from, to, kind, detail, where = sql`true`, set = sql`` } = change;
  const [status, ...others] = from;
  // With a single status, the previous one is known without a second read.
  const changed =
    others.length === 0
      ? sql`changed as (
          update ${countersign}.step_states s set status = ${to} ${set}
          where s.plan_id = ${planId} and s.status = ${status} and ${where}
          returning s.position, s.step_id, s.partition, ${status}::text as from_status, s.status as to_status,
            ${kind}::text as kind, ${detail ?? null}::text as detail
        )`
      : sql`before as (
          select s.position, s.status from ${countersign}.step_states s
          where s.plan_id = ${planId} and s.status = any(${sql.param(from)}::text[]) and ${where}
        ),
        changed as (
          update ${countersign}.step_states s set status = ${to} ${set}
          from before b where s.plan_id = ${planId} and s.position = b.position
          returning s.position, s.step_id, s.partition, b.status as from_status, s.status as to_status,
            ${kind}::text as kind, ${detail ?? null}::text as detail
        )`;
  return tx.row(sql`
    with ${changed}, ${accounting(planId)}
    select * from plan`);
}
