// Stops the dependents of a failed step, or every step that has not started, depending on the configuration.
import type { Transaction } from '#db/database.ts';
import { stopAllSeries } from '#db/plans/series.ts';
import { skipDependents } from '#db/sql/settle.ts';
import { changeSteps, type PlanProgress } from '#db/steps/accounting.ts';
import type { OnFailure } from '../plans-context.ts';

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
