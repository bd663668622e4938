// What running a plan is given.
import type { Clock } from '#contracts/clock.ts';
import type { Enqueue } from '#contracts/jobs.ts';
import type { Settings } from '#contracts/settings.ts';
import type { Json, JsonObject } from '#contracts/text.ts';
import type { OperationSpec, ToolRegistry } from '#contracts/tool.ts';
import type { Database, Transaction } from '#store/database.ts';
import type { Leases } from './leases.ts';
import type { Slots } from './slots.ts';

/** Decides `$decide` arguments with the executor's model, which sees this one operation only. */
export type ArgumentDecider = (request: {
  operation: OperationSpec;
  args: JsonObject;
  description: string;
  outputs: Record<string, Json>;
  validate(args: JsonObject): string[];
  signal: AbortSignal;
}) => Promise<{ args: JsonObject; cost_usd: number }>;

export type ExecutorContext = {
  db: Database;
  enqueue: Enqueue<Transaction>;
  registry: ToolRegistry;
  clock: Clock;
  settings: Settings['executor'];
  guardedTools: string[];
  guardMode: Settings['guardMode'];
  /** null: no model is configured. */
  decide: ArgumentDecider | null;
  /** Name of this worker, unique to this process: the owner of its leases. */
  worker: string;
  timezone: string;
  leases: Leases;
  slots: Slots;
  warn(message: string, error?: unknown): void;
};
