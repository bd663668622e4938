// What every verb of this room is given.
import type { Clock, Random } from '#contracts/clock.ts';
import type { Enqueue } from '#contracts/jobs.ts';
import type { ApproverPolicy } from '#contracts/plan.ts';
import type { Catalogue } from '#contracts/tool.ts';
import type { Database, Transaction } from '#store/database.ts';
import type { PoolLimits } from './normalise-step.ts';
import type { OnFailure } from './stop-dependents.ts';

export type PlansContext = {
  db: Database;
  enqueue: Enqueue<Transaction>;
  /** Every operation that a plan may name. */
  catalogue: Catalogue;
  /** Exact operation names that are marked and never called outside an approved plan. */
  guardedTools: string[];
  /** People who may approve besides the requester. */
  approvers: string[];
  /** Who must approve a plan that uses one of these operations, besides what the plan itself asks for. */
  guardedApprovers: Record<string, ApproverPolicy>;
  /** How much of each shared resource steps may reserve. */
  resourcePools: PoolLimits;
  /** What a failed step stops. */
  onFailure: OnFailure;
  clock: Clock;
  random: Random;
};
