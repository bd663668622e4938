// Dependencies of the executor.
import type { Database, Transaction } from '#db/database.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import type { ClaimedStep } from '#db/sql/claim.ts';
import type { Lease } from '#db/sql/leases.ts';
import { retryUntilDatabaseAnswers } from '#db/transient.ts';
import type { Clock, Random } from '#domain/clock.ts';
import type { Enqueue } from '#domain/jobs.ts';
import type { Settings, SharedSettings } from '#domain/settings.ts';
import type { Catalogues, OperationSpec, ToolHost, ToolRegistry } from '#domain/tool.ts';
import type { DecideRequest, decideArguments } from '#models/decide-arguments.ts';
import type { Budget } from '#planner/budget/budget.ts';
import type { Leases } from './leases.ts';
import type { Slots } from './slots.ts';

/** Decides `$decide` arguments with the plan's model (null: the process's), which sees this one operation only. */
export type ArgumentDecider = (
  model: string | null,
  request: DecideRequest,
) => ReturnType<typeof decideArguments>;

/** One executor of a worker process: what it can do, and how much at once. Leases belong to it. */
export type Backend = {
  name: string;
  capabilities: string[];
  /** Calls under way at once. */
  concurrency: number;
  /** The same where all of them are slow and others wait. */
  mostConcurrency: number;
  /** Names of the operations it runs now; a server that comes up brings more, one that is down takes its own away. */
  operations(): string[];
  /** The same with everything that planners and checks need to know of them. */
  manifest(): OperationSpec[];
};

/** What is the same for every back end of a process. */
export type SharedContext = {
  db: Database;
  enqueue: Enqueue<Transaction>;
  /** The tools of this process, by organisation. */
  registry: ToolHost;
  /** What any process offers: what a plan that starts is checked against. */
  catalogue: Catalogues;
  clock: Clock;
  random: Random;
  settings: Settings['executor'];
  /** What is done about single operations instead, by exact name. */
  operations: Settings['operations'];
  guardedTools: string[];
  guardMode: Settings['guardMode'];
  /** This process's settings for the whole instance, for others to compare. */
  shared: SharedSettings;
  /** null: no model is configured. */
  decide: ArgumentDecider | null;
  /** What model calls of a running plan may cost. */
  budget: Budget;
  timezone: string;
  /** Where others reach this instance, for callbacks; null: nowhere. */
  publicUrl: string | null;
  warn(message: string, error?: unknown): void;
};

export type ExecutorContext = SharedContext & {
  backend: Backend;
  /** Name of this back end, unique in the world: the owner of its leases. */
  worker: string;
  leases: Leases;
  slots: Slots;
};

// What running one claimed step is given.

/** Leave to make one call. */
export type Permit = {
  /**
   * Asked at the very last: whether so little of the lease has passed that nobody can have taken the step. A process that
   * was stopped, a machine that slept or an answer that came late lets it pass unseen.
   */
  isFresh(): boolean;
};

/** Asks for leave to make the call of `lease`. null: it must not be made. */
export type Mark = (lease: Lease) => Promise<Permit | null>;

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

/** The tools of the plan's organisation. */
export function toolsOf({ context, plan }: Pick<StepRun, 'context' | 'plan'>): ToolRegistry {
  return context.registry.of(plan.tenant);
}

/** Asks the database, however long it stays away, as long as the step is ours. */
export function askDatabase<T>(
  { context, step, plan, signal }: StepRun,
  work: () => Promise<T>,
): Promise<T> {
  const warn = (error: unknown) =>
    context.warn(`Step ${step.step_id} of ${plan.id} waits for the database.`, error);
  return retryUntilDatabaseAnswers(work, warn, signal);
}
