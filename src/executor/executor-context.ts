// Dependencies of the executor.
import type { Database, Transaction } from '#db/database.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import type { ClaimedStep } from '#db/sql/claim.ts';
import type { Lease } from '#db/sql/leases.ts';
import { retryUntilDatabaseAnswers } from '#db/transient.ts';
import type { Clock, Random } from '#domain/clock.ts';
import type { Gate } from '#domain/gate.ts';
import type { Enqueue } from '#domain/jobs.ts';
import type { Settings, SharedSettings } from '#domain/settings.ts';
import type { Catalogues, OperationSpec, ToolHost, ToolRegistry } from '#domain/tool.ts';
import type { DecideRequest, decideArguments } from '#models/decide-arguments.ts';
import type { Budget } from '#planner/budget/budget.ts';
import type { Leases } from './leases.ts';
import type { Slots } from './slots.ts';

/** Decides `$decide` arguments by the plan's model, or the process's if null. The model sees this operation only. */
export type ArgumentDecider = (
  model: string | null,
  request: DecideRequest,
) => ReturnType<typeof decideArguments>;

export type Backend = {
  name: string;
  capabilities: string[];
  concurrency: number;
  /** If all calls are slow and others wait. */
  mostConcurrency: number;
  /** Changes as servers come up and go down. */
  operations(): string[];
  manifest(): OperationSpec[];
};

export type SharedContext = {
  db: Database;
  enqueue: Enqueue<Transaction>;
  registry: ToolHost;
  catalogue: Catalogues;
  clock: Clock;
  random: Random;
  settings: Settings['executor'];
  operations: Settings['operations'];
  guardedTools: string[];
  guardMode: Settings['guardMode'];
  shared: SharedSettings;
  decide: ArgumentDecider | null;
  budget: Budget;
  timezone: string;
  publicUrl: string | null;
  warn(message: string, error?: unknown): void;
};

export type ExecutorContext = SharedContext & {
  backend: Backend;
  worker: string;
  leases: Leases;
  slots: Slots;
  /** Waits for one of the connections for turns. */
  inTurn: Gate;
};

export type Permit = {
  /** False if the lease may have expired, as after suspension. Checked until the call leaves. */
  isFresh(): boolean;
};

/** Null if the call must not be made. */
export type Mark = (lease: Lease) => Promise<Permit | null>;

export type StepRun = {
  context: ExecutorContext;
  plan: PlanRow;
  step: ClaimedStep;
  lease: Lease;
  /** The lease is lost, the plan cancelled or the process stopping. */
  signal: AbortSignal;
  cutOff: (reason: Error) => void;
  mark: Mark;
  letGo?: () => void;
  /** False when stopping; uncalled steps are handed back. */
  mayBegin: () => boolean;
};

export function toolsOf({ context, plan }: Pick<StepRun, 'context' | 'plan'>): ToolRegistry {
  return context.registry.of(plan.tenant);
}

export function askDatabase<T>(
  { context, step, plan, signal }: StepRun,
  work: () => Promise<T>,
): Promise<T> {
  const warn = (error: unknown) =>
    context.warn(`Step ${step.step_id} of ${plan.id} is waiting for the database.`, error);
  return retryUntilDatabaseAnswers(work, warn, signal);
}
