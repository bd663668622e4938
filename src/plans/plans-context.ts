// Dependencies of the modules in `plans`.
import type { Database, Transaction } from '#db/database.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import type { Caps } from '#domain/budget.ts';
import type { Clock, Random } from '#domain/clock.ts';
import type { Enqueue } from '#domain/jobs.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { Grouping } from '#domain/people/groups.ts';
import type { IdentitySettings } from '#domain/people/identity.ts';
import type { UserGroups } from '#domain/people/user-groups.ts';
import type { Finding } from '#domain/plan/finding.ts';
import type { ApproverPolicy } from '#domain/plan/plan.ts';
import type { ResourcePool, Settings } from '#domain/settings.ts';
import type { Catalogues } from '#domain/tool.ts';

export type OnFailure = Settings['executor']['on_failure'];

/** How much of each pool steps may reserve at once. */
export type PoolLimits = Record<string, Pick<ResourcePool, 'capacity' | 'headroom'>>;

/** `usual`: the model of plans that name none; `firstCallUsd`: the expected cost of a model's first call. */
export type ModelBudget = { caps: Caps; usual: string; firstCallUsd(model: string): number };

export type PlansContext = {
  db: Database;
  enqueue: Enqueue<Transaction>;
  /** Every operation that a plan may name, by organisation. */
  catalogue: Catalogues;
  /** Exact operation names that are marked and never called outside an approved plan. */
  guardedTools: string[];
  /** People who may approve besides the requester. */
  approvers: string[];
  /** Who must approve a plan that uses one of these operations, besides what the plan itself asks for. */
  guardedApprovers: Record<string, ApproverPolicy>;
  /** Delegates by the name of the person asked; left out: none. */
  delegates?: Record<string, string[]>;
  /** What `group:NAME` in both stands for; left out: no groups of the configuration. */
  grouping?: Grouping;
  /** Blocked people; left out: none. */
  identity?: Pick<IdentitySettings, 'blocked'> & Partial<Pick<IdentitySettings, 'providers'>>;
  /** User groups of a chat in rules; left out: no chat is asked. */
  userGroups?: UserGroups;
  /** How much of each shared resource steps may reserve. */
  resourcePools: PoolLimits;
  /** What a failed step stops. */
  onFailure: OnFailure;
  /**
   * Has a change of the plan made for a finding, which is `replanning` now: in the transaction of the decision, under the
   * plan's lock. Missing: nobody can.
   */
  onReplan?: (tx: Transaction, row: PlanRow, finding: Finding, actor: Actor) => Promise<void>;
  /** Whether a plan is changed by itself once a finding leaves stale steps. */
  replan: Settings['executor']['replan'];
  /** The budget that approvals check model calls against; left out: no model is set up. */
  modelBudget?: ModelBudget | undefined;
  clock: Clock;
  random: Random;
};
