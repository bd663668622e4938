// What running one claimed step is given.
import type { PlanRow } from '#store/plans.ts';
import { retryUntilDatabaseAnswers } from '#store/retry-until-database-answers.ts';
import type { ClaimedStep } from '#store/sql/claim.ts';
import type { Lease } from '#store/sql/leases.ts';
import type { ExecutorContext } from './executor-context.ts';
import type { Mark } from './mark-batch.ts';

export type StepRun = {
  context: ExecutorContext;
  plan: PlanRow;
  step: ClaimedStep;
  lease: Lease;
  /** Aborts when the lease is lost, the plan is cancelled or the process stops. */
  signal: AbortSignal;
  /** Aborts `signal`: the call takes too long. */
  cutOff: (reason: Error) => void;
  mark: Mark;
  /** Counts it no more among what its back end holds. */
  letGo?: () => void;
  /** False: the process stops, and what has not been called is handed back. */
  mayBegin: () => boolean;
};

/** Asks the database, however long it stays away, as long as the step is ours. */
export function askDatabase<T>(
  { context, step, plan, signal }: StepRun,
  work: () => Promise<T>,
): Promise<T> {
  const warn = (error: unknown) =>
    context.warn(`Step ${step.step_id} of ${plan.id} waits for the database.`, error);
  return retryUntilDatabaseAnswers(work, warn, signal);
}
