// The one door through which a plan's status changes: table, compare-and-set, event, audit and job in the caller's transaction.
import { and, eq, inArray, sql } from 'drizzle-orm';
import type { Actor } from '#contracts/actor.ts';
import type { Enqueue } from '#contracts/jobs.ts';
import { recordDeeds } from '#store/audit.ts';
import type { Transaction } from '#store/database.ts';
import { appendPlanEvent } from '#store/events.ts';
import { notify } from '#store/notify.ts';
import type { PlanRow } from '#store/plans.ts';
import { plans } from '#store/schema.ts';
import { nextStatus, type PlanEvent, sourcesOf } from './lifecycle-table.ts';

type Changeable = Partial<
  Pick<
    PlanRow,
    | 'decided_by'
    | 'decided_at'
    | 'paused_at'
    | 'revising'
    | 'execution_started_at'
    | 'execution_ended_at'
    | 'result_summary'
    | 'rejection_history'
  >
>;

/**
 * Moves the plan `row` (locked or just read by the caller) along `event`. The UPDATE compares version and status
 * again, so that of two callers exactly one succeeds.
 * @returns the plan's row after the change
 * @throws CountersignError `invalid_transition` that names the current status
 */
export async function transition(
  tx: Transaction,
  enqueue: Enqueue<Transaction>,
  row: PlanRow,
  event: PlanEvent,
  by: { actor: Actor; reason?: string; digest?: string },
  set: Changeable = {},
): Promise<PlanRow> {
  const status = nextStatus(row.status, event);
  const [changed] = await tx
    .update(plans)
    .set({
      ...set,
      status,
      revision: sql`${plans.revision} + 1`,
      updated_at: sql`clock_timestamp()`,
    })
    .where(
      and(
        eq(plans.id, row.id),
        eq(plans.version, row.version),
        inArray(plans.status, sourcesOf(event)),
      ),
    )
    .returning();
  if (changed === undefined) {
    const [now] = await tx.select().from(plans).where(eq(plans.id, row.id));
    nextStatus(now?.status ?? row.status, event);
    throw new Error(`transition: ${row.id} changed version under a lock`);
  }
  await appendPlanEvent(tx, {
    planId: row.id,
    revision: changed.revision,
    kind: status,
    status,
    ...(by.reason === undefined ? {} : { detail: by.reason }),
  });
  await recordDeeds(tx, [
    {
      planId: row.id,
      actor: by.actor,
      action: event,
      version: row.version,
      digest: by.digest ?? row.digest,
      ...(by.reason === undefined ? {} : { reason: by.reason }),
    },
  ]);
  await enqueue(tx, 'card', { plan_id: row.id }, { key: row.id });
  await notify(tx, `plan:${row.id}`);
  return changed;
}
