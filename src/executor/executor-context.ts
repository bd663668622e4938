// What running a plan is given.
import type { Clock, Random } from '#contracts/clock.ts';
import type { Enqueue } from '#contracts/jobs.ts';
import type { Settings } from '#contracts/settings.ts';
import type { Catalogue, ToolRegistry } from '#contracts/tool.ts';
import type { DecideRequest, decideArguments } from '#models/decide-arguments.ts';
import type { Database, Transaction } from '#store/database.ts';
import type { Backend } from './backend.ts';
import type { Leases } from './leases.ts';
import type { Slots } from './slots.ts';

/** Decides `$decide` arguments with the executor's model, which sees this one operation only. */
export type ArgumentDecider = (request: DecideRequest) => ReturnType<typeof decideArguments>;

/** US dollars that one plan, planning included, and one day (UTC) may cost. */
export type Budget = { perSession: number; perDay: number };

/** What is the same for every back end of a process. */
export type SharedContext = {
  db: Database;
  enqueue: Enqueue<Transaction>;
  /** The tools of this process: what it calls. */
  registry: ToolRegistry;
  /** What any process offers: what a plan that starts is checked against. */
  catalogue: Catalogue;
  clock: Clock;
  random: Random;
  settings: Settings['executor'];
  /** What is done about single operations instead, by exact name. */
  operations: Settings['operations'];
  guardedTools: string[];
  guardMode: Settings['guardMode'];
  /** null: no model is configured. */
  decide: ArgumentDecider | null;
  /** What model calls of a running plan may cost. */
  budget: Budget;
  timezone: string;
  warn(message: string, error?: unknown): void;
};

export type ExecutorContext = SharedContext & {
  backend: Backend;
  /** Name of this back end, unique in the world: the owner of its leases. */
  worker: string;
  leases: Leases;
  slots: Slots;
};
