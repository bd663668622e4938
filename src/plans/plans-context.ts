// Dependencies of `plans`.
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

export type PoolLimits = Record<string, Pick<ResourcePool, 'capacity' | 'headroom'>>;

/** Without headroom. */
export const usablePools = (pools: PoolLimits): Record<string, number> =>
  Object.fromEntries(
    Object.entries(pools).map(([name, { capacity, headroom }]) => [name, capacity - headroom]),
  );

/** `usual`: default model; `firstCallUsd`: expected. */
export type ModelBudget = { caps: Caps; usual: string; firstCallUsd(model: string): number };

export type PlansContext = {
  db: Database;
  enqueue: Enqueue<Transaction>;
  catalogue: Catalogues;
  /** Never called outside an approved plan. */
  guardedTools: string[];
  /** Besides the requester. */
  approvers: string[];
  /** By operation, besides the plan's own approvers. */
  guardedApprovers: Record<string, ApproverPolicy>;
  delegates?: Record<string, string[]>;
  /** For both. */
  grouping?: Grouping;
  identity?: Pick<IdentitySettings, 'blocked'> & Partial<Pick<IdentitySettings, 'providers'>>;
  /** Omitted if no chat is asked. */
  userGroups?: UserGroups;
  resourcePools: PoolLimits;
  /** For working days and plans without a schedule. */
  profile: StrategyProfile;
  onFailure: OnFailure;
  /** In the decision's transaction, under the lock. */
  onReplan?: (tx: Transaction, row: PlanRow, finding: Finding, actor: Actor) => Promise<void>;
  /** Automatic if a finding leaves stale steps. */
  replan: Settings['executor']['replan'];
  /** Checked at approvals; omitted without a model. */
  modelBudget?: ModelBudget | undefined;
  /** Without it, plans post only in their own conversation. Opened later. */
  places?: () => PlaceFinders;
  clock: Clock;
  random: Random;
};
