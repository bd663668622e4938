// Dependencies of the modules in `plans`.
import type { Database, Transaction } from '#db/database.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import type { Caps } from '#domain/budget.ts';
import type { PlaceFinders } from '#domain/chat/find-place.ts';
import type { Clock, Random } from '#domain/clock.ts';
import type { Enqueue } from '#domain/jobs.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { Grouping } from '#domain/people/groups.ts';
import type { IdentitySettings } from '#domain/people/identity.ts';
import type { UserGroups } from '#domain/people/user-groups.ts';
import type { Finding } from '#domain/plan/finding.ts';
import type { ApproverPolicy } from '#domain/plan/plan.ts';
import type { StrategyProfile } from '#domain/planning/schedule.ts';
import type { ResourcePool, Settings } from '#domain/settings.ts';
import type { Catalogues } from '#domain/tool.ts';

export type OnFailure = Settings['executor']['on_failure'];

/** How much of each pool steps may reserve at once. */
export type PoolLimits = Record<string, Pick<ResourcePool, 'capacity' | 'headroom'>>;

/** `usual`: the default model; `firstCallUsd`: the expected cost of a model's first call. */
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
  /** Required approvers of plans that use one of these operations, in addition to the plan's own. */
  guardedApprovers: Record<string, ApproverPolicy>;
  /** Delegates by the assignee's name. */
  delegates?: Record<string, string[]>;
  /** Resolves `group:NAME` in both; omitted without configured groups. */
  grouping?: Grouping;
  /** Blocked people. */
  identity?: Pick<IdentitySettings, 'blocked'> & Partial<Pick<IdentitySettings, 'providers'>>;
  /** Chat user groups in rules; omitted if no chat is asked. */
  userGroups?: UserGroups;
  resourcePools: PoolLimits;
  /** Working hours for lengths in working days, and for plans without a schedule. */
  profile: StrategyProfile;
  onFailure: OnFailure;
  /**
   * Starts replanning for a finding that is `replanning` now, in the transaction of the decision, under the plan's lock. Omitted
   * if there is no replanning.
   */
  onReplan?: (tx: Transaction, row: PlanRow, finding: Finding, actor: Actor) => Promise<void>;
  /** Whether a finding that leaves stale steps starts replanning automatically. */
  replan: Settings['executor']['replan'];
  /** The budget that approvals check model calls against; omitted without a model. */
  modelBudget?: ModelBudget | undefined;
  /** Finds channels and people of chat platforms; without one, plans post only in their own conversation. They open after this. */
  places?: () => PlaceFinders;
  clock: Clock;
  random: Random;
};
