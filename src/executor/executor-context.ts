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

/** Decides `$decide` arguments with the plan's model, or the process's if null. The model sees this operation only. */
export type ArgumentDecider = (
  model: string | null,
  request: DecideRequest,
) => ReturnType<typeof decideArguments>;

/** One executor of a worker process, with its own capabilities, concurrency and leases. */
export type Backend = {
  name: string;
  capabilities: string[];
  /** Maximum number of concurrent calls. */
  concurrency: number;
  /** The maximum when all calls are slow and others wait. */
  mostConcurrency: number;
  /** Operations that can run now; changes as servers come up and go down. */
  operations(): string[];
  /** The same, with full specifications for planners and checks. */
  manifest(): OperationSpec[];
};

/** Shared by all back ends of a process. */
export type SharedContext = {
  db: Database;
  enqueue: Enqueue<Transaction>;
  /** The tools of this process, per organisation. */
  registry: ToolHost;
  /** The tools of all processes; a plan is checked against them when it starts. */
  catalogue: Catalogues;
  clock: Clock;
  random: Random;
  settings: Settings['executor'];
  /** Rules for single operations, by exact name. */
  operations: Settings['operations'];
  guardedTools: string[];
  guardMode: Settings['guardMode'];
  /** This process's instance-wide settings, published for comparison. */
  shared: SharedSettings;
  /** Null if no model is configured. */
  decide: ArgumentDecider | null;
  /** Limits on the model calls of running plans. */
  budget: Budget;
  timezone: string;
  /** Base URL for callbacks, or null if there is none. */
  publicUrl: string | null;
  warn(message: string, error?: unknown): void;
};

export type ExecutorContext = SharedContext & {
  backend: Backend;
  /** Globally unique name of this back end, the owner of its leases. */
  worker: string;
  leases: Leases;
  slots: Slots;
};

// The context for running one claimed step.

/** Permission to make one call. */
export type Permit = {
  /** Checked immediately before the call: false if the lease may have expired, as after a suspended process or machine. */
  isFresh(): boolean;
};

/** Requests permission to call under `lease`. Null if the call must not be made. */
export type Mark = (lease: Lease) => Promise<Permit | null>;

export type StepRun = {
  context: ExecutorContext;
  plan: PlanRow;
  step: ClaimedStep;
  lease: Lease;
  /** Aborts when the lease is lost, the plan is cancelled or the process stops. */
  signal: AbortSignal;
  /** Aborts `signal` when the call takes too long. */
  cutOff: (reason: Error) => void;
  mark: Mark;
  /** Stops counting the step among those its back end holds. */
  letGo?: () => void;
  /** False when the process is stopping; uncalled steps are handed back. */
  mayBegin: () => boolean;
};

export function toolsOf({ context, plan }: Pick<StepRun, 'context' | 'plan'>): ToolRegistry {
  return context.registry.of(plan.tenant);
}

/** Retries until the database answers, as long as the lease is held. */
export function askDatabase<T>(
  { context, step, plan, signal }: StepRun,
  work: () => Promise<T>,
): Promise<T> {
  const warn = (error: unknown) =>
    context.warn(`Step ${step.step_id} of ${plan.id} waits for the database.`, error);
  return retryUntilDatabaseAnswers(work, warn, signal);
}
