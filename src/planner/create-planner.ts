// Assembles a planner from controller, reasoner, tools and stores.
import type { Database, Queryable } from '#db/database.ts';
import { hasOpenPlans, markProbed, readPolicy } from '#db/people/policies.ts';
import { type Clock, systemClock } from '#domain/clock.ts';
import type { InteractionPolicy } from '#domain/people/policy.ts';
import { limitOf } from '#domain/planning/outline.ts';
import { isPartRun } from '#domain/planning/part.ts';
import type { Planner } from '#domain/planning/run.ts';
import { StrategyProfile } from '#domain/planning/schedule.ts';
import type { ChatModel } from '#models/chat.ts';
import type { Budget, PaidModel, PlanningLimits } from './budget/budget.ts';
import { payForCalls } from './budget/pay-for-calls.ts';
import { createOperationSearch, type OperationSearch } from './catalogue/search-operations.ts';
import { keepInDatabase } from './controller/checkpoints.ts';
import { type ControllerOptions, createController } from './controller/controller.ts';
import { createRemember } from './memo/memo.ts';
import { createModelReasoner } from './model/model-reasoner.ts';
import { createCommandReasoner } from './offline/reasoner.ts';
import { parsePolicyRequest } from './policy/policy-words.ts';
import type { PlannerTools } from './ports.ts';
import type { Reasoner } from './reasoner.ts';
import { runAgain } from './run-again.ts';
import type { Thresholds } from './stages/stage.ts';
import type { OtherPlans } from './tools/probe-portfolio.ts';
import type { PreferencePort } from './tools/probe-preference.ts';
import { createToolset } from './tools/registry.ts';

export type PlannerStore = Pick<ControllerOptions, 'checkpoints' | 'rememberFor' | 'readCost'> & {
  otherPlans: OtherPlans;
  preferences: PreferencePort;
  payFor(
    model: ChatModel,
    place: {
      runId: string;
      turn: number;
      user: string;
      round: number;
      limitUsd?: number | undefined;
    },
    policy: InteractionPolicy,
  ): PaidModel;
};

export function openPlannerStore({
  db,
  budget,
  otherPlans,
  warn,
}: {
  db: Database;
  budget: Budget;
  otherPlans: OtherPlans;
  warn(message: string, error?: unknown): void;
}): PlannerStore {
  return {
    otherPlans,
    preferences: openPreferences(db.query),
    checkpoints: keepInDatabase(db.query, warn),
    rememberFor: (...place) => createRemember(db.query, ...place),
    async readCost({ runId, turn, user }) {
      // A part's cost is booked on its own run.
      if (isPartRun(runId)) return null;
      return (await budget.readSpent({ runId, turn, user })).turn;
    },
    payFor: (model, place, policy) => payForCalls({ model, budget, db: db.query }, place, policy),
  };
}

export type CreatePlannerOptions = {
  tools: PlannerTools;
  model: ChatModel | null;
  limits: PlanningLimits;
  store: PlannerStore;
  thresholds?: Thresholds;
  flags?: Omit<ControllerOptions['settings'], 'profile'>;
  profile?: StrategyProfile;
  guarded?: readonly string[];
  clock?: Clock;
};

const usualThresholds: Thresholds = { continue: 0.7, escalate: 0.4 };

function createReasoner(
  options: CreatePlannerOptions,
  clock: Clock,
  search: OperationSearch,
): Reasoner {
  const { model, limits, store } = options;
  if (model === null) return createCommandReasoner();
  return createModelReasoner({
    name: model.name,
    limits,
    clock,
    catalogue: { search, guarded: new Set(options.guarded) },
    payFor({ request: { runId, turn, user, policy, limitUsd: given }, state }) {
      const limitUsd = state.outline === null ? given : (limitOf(state.outline) ?? given);
      // A retry calls the model again.
      const place = { runId, turn, user, round: state.trace.length, limitUsd };
      return store.payFor(model, place, policy);
    },
  });
}

export function createPlanner(options: CreatePlannerOptions): Planner {
  const { tools, limits, store, clock = systemClock } = options;
  const search = createOperationSearch();
  const controller = createController({
    reasoner: createReasoner(options, clock, search),
    tools,
    toolset: createToolset({
      tools,
      otherPlans: store.otherPlans,
      preferences: store.preferences,
      guarded: options.guarded ?? [],
      search,
      looksFirst: options.model !== null,
    }),
    checkpoints: store.checkpoints,
    rememberFor: store.rememberFor,
    readCost: store.readCost,
    limits,
    thresholds: options.thresholds ?? usualThresholds,
    settings: {
      ...(options.flags ?? { allowNewSubtypes: true, requireRfcForNewSubtype: true }),
      profile: options.profile ?? StrategyProfile.parse({}),
    },
    clock,
  });
  const { name } = controller;
  return {
    name,
    async plan(request, ...rest) {
      const again = await runAgain(tools, request, { name, isModel: options.model !== null });
      return again ?? controller.plan(request, ...rest);
    },
    // Models store preferences with set_policy.
    ...(options.model === null ? { parsePolicyRequest } : { readsThreads: true }),
  };
}

export function openPreferences(db: Queryable): PreferencePort {
  return {
    async isKnown(user) {
      const { policy, probed } = await readPolicy(db, user);
      return probed || policy.conversation_style !== undefined;
    },
    isBusy: (user) => hasOpenPlans(db, user),
    claim: (user) => markProbed(db, user),
  };
}
