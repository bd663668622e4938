// Finds steps that may run next when a plan starts or continues after a failure, and stops those that may not.
import { sql } from 'drizzle-orm';
import type { Transaction } from '#db/database.ts';
import { stopAllSeries } from '#db/plans/series.ts';
import { skipDependents } from '#db/sql/settle.ts';
import { changeSteps, type PlanProgress } from '#db/steps/accounting.ts';
import { stepsOf } from '#db/steps/blocks.ts';
import { isSkippedByCondition } from '#db/steps/conditions.ts';
import type { OnFailure } from '../plans-context.ts';

/** Pending steps without open prerequisites become ready, with their not-before times. The caller holds the plan's lock. */
export function readyTheFree(tx: Transaction, planId: string): Promise<PlanProgress | null> {
  return changeSteps(tx, planId, {
    from: ['pending'],
    to: 'ready',
    kind: 'step_ready',
    where: sql`s.unmet = 0`,
    set: sql`, available_at = greatest(s.available_at, clock_timestamp())`,
  });
}

/**
 * Takes back skips, except those by a condition and those behind steps that are still failed. The caller holds the plan's lock.
 * @returns the plan's counters after it, or null if nothing changed
 */
export async function reviveSkipped(
  tx: Transaction,
  planId: string,
  onFailure: OnFailure,
): Promise<PlanProgress | null> {
  const { rows: failed } = await tx.execute<{ position: number }>(
    sql`select position from ${stepsOf(planId, ['failed'])}`,
  );
  // Steps that a person has just made ready must not be stopped with the rest, so nothing is taken back.
  if (onFailure === 'stop_all' && failed.length > 0) return null;
  const revived = await changeSteps(tx, planId, {
    from: ['skipped'],
    to: 'pending',
    kind: 'step_pending',
    where: sql`not ${isSkippedByCondition('s')}`,
    set: sql`, ended_at = null`,
  });
  const positions = failed.map(({ position }) => position);
  const skipped = await stopDependents(tx, planId, positions, onFailure);
  return (await readyTheFree(tx, planId)) ?? skipped ?? revived;
}

/** The caller holds the plan's lock. @returns the plan's counters after it, or null if nothing was stopped */
export async function stopDependents(
  tx: Transaction,
  planId: string,
  failed: number[],
  onFailure: OnFailure,
): Promise<PlanProgress | null> {
  if (failed.length === 0) return null;
  switch (onFailure) {
    case 'continue_independent':
      return skipDependents(tx, planId, failed);
    case 'stop_all':
      await stopAllSeries(tx, planId);
      return changeSteps(tx, planId, {
        from: ['pending', 'ready'],
        to: 'skipped',
        kind: 'step_skipped',
        detail: 'another step failed',
      });
    default:
      return onFailure satisfies never;
  }
}
