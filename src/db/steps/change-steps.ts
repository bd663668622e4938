// Moves many steps to a new status in one statement, with counters and change stream.
import { type SQL, sql } from 'drizzle-orm';
import type { StepCounts, StepStatus } from '#domain/plan/plan.ts';
import type { Queryable } from '../database.ts';
import { countersign } from '../schema/columns.ts';
import { accounting } from './accounting.ts';

/** The plan's counters after `n` changes of its steps. */
export type PlanProgress = StepCounts & { revision: number; total: number; n: number };

/** The counters are null if nothing changed. */
export function progressOf<Row extends PlanProgress>(row: Row | undefined): PlanProgress | null {
  return row?.revision == null ? null : row;
}

/**
 * Moves steps in `from` that meet `where` (on `s`) to `to`. The caller holds the plan's lock. @param set further assignments
 * @returns the plan's counters, or null if no step was in `from`
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
  // With a single status, the previous status is known without a second read.
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
