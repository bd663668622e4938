// Puts a planner together: the controller over a reasoner (a language model where one is configured, else rules), the
// tools, and what is kept of it.
import { type Clock, systemClock } from '#contracts/clock.ts';
import { StrategyProfile } from '#contracts/planning/schedule.ts';
import type { Planner, PlanningRequest } from '#contracts/run.ts';
import type { ChatModel } from '#models/chat-model.ts';
import type { Database } from '#store/database.ts';
import type { Budget } from './budget/budget.ts';
import type { PlanningLimits } from './budget/limits.ts';
import { payForCalls } from './budget/pay-for-calls.ts';
import { createMemoryBudget } from './budget/pay-in-memory.ts';
import type { Thresholds } from './confidence.ts';
import { keepInMemory } from './controller/checkpoints.ts';
import { type ControllerOptions, createController } from './controller/controller.ts';
import { keepInDatabase } from './controller/stored-checkpoints.ts';
import { createRemember } from './memo/remember-outcomes.ts';
import { createModelReasoner } from './model/model-reasoner.ts';
import { createOfflineReasoner } from './offline/offline-reasoner.ts';
import { shortenBlanks } from './offline/shield.ts';
import { openPreferences } from './policy/open-preferences.ts';
import type { PlannerTools } from './ports.ts';
import type { Reasoner } from './reasoner.ts';
import type { PreferencePort } from './tools/probe-preference.ts';
import { createToolset, type OtherPlans } from './toolset.ts';

/** Where sessions, paid replies and costs are kept, so that they outlive this process. */
export type PlannerStore = {
  db: Database;
  budget: Budget;
  otherPlans: OtherPlans;
  warn(message: string, error?: unknown): void;
};

export type CreatePlannerOptions = {
  tools: PlannerTools;
  /** null: no model is configured. */
  model: ChatModel | null;
  limits: PlanningLimits;
  /** null: nothing outlives the planner; the budget of the day counts what `spentToday` says. */
  store?: PlannerStore | null;
  spentToday?: () => Promise<number>;
  thresholds?: Thresholds;
  flags?: ControllerOptions['flags'];
  /** When people work. */
  profile?: StrategyProfile;
  /** Exact names of operations that are guarded. */
  guarded?: readonly string[];
  clock?: Clock;
};

/** Without a place to keep it, nobody is asked how they like to be talked to. */
const nobodyToAsk: PreferencePort = {
  isKnown: () => Promise.resolve(true),
  claim: () => Promise.resolve(false),
};

const usualThresholds: Thresholds = { continue: 0.7, escalate: 0.4 };

function createReasoner(options: CreatePlannerOptions, clock: Clock): Reasoner {
  const { model, limits, store = null, spentToday = () => Promise.resolve(0) } = options;
  if (model === null) return createOfflineReasoner({ clock });
  const inMemory = createMemoryBudget(model, limits, spentToday);
  return createModelReasoner({
    name: model.name,
    limits,
    clock,
    payFor({ request: { runId, turn, user, policy }, state }) {
      // A stage that is tried again asks anew, though its words may be the same.
      const place = { runId, turn, user, round: state.trace.length };
      if (store === null) return inMemory(place);
      const { db, budget } = store;
      return payForCalls({ model, budget, db: db.query }, place, policy);
    },
  });
}

export function createPlanner(options: CreatePlannerOptions): Planner {
  const { tools, limits, store = null, clock = systemClock } = options;
  const profile = options.profile ?? StrategyProfile.parse({});
  const controller = createController({
    reasoner: createReasoner(options, clock),
    tools,
    toolset: createToolset({
      tools,
      profile,
      otherPlans: store?.otherPlans ?? (() => Promise.resolve({ blocks: [], more: false })),
      preferences: store === null ? nobodyToAsk : openPreferences(store.db.query),
      guarded: options.guarded ?? [],
    }),
    checkpoints: store === null ? keepInMemory() : keepInDatabase(store.db.query, store.warn),
    rememberFor(place, toolContext, readState) {
      if (store !== null) return createRemember(store.db.query, place, toolContext, readState);
      return async (_, __, make) => ({ outcome: await make(), remembered: false });
    },
    readCost:
      store === null
        ? null
        : async ({ runId, turn, user }) =>
            (await store.budget.readSpent({ runId, turn, user })).turn,
    limits,
    thresholds: options.thresholds ?? usualThresholds,
    flags: options.flags ?? { allowNewSubtypes: true, requireRfcForNewSubtype: true },
    clock,
  });
  return {
    name: controller.name,
    plan: (request, signal) => controller.plan(shortenRequest(request), signal),
  };
}

/** Everything that was said, without the long blanks that rules would read over and over. */
function shortenRequest(request: PlanningRequest): PlanningRequest {
  const { text, history, revision } = request;
  return {
    ...request,
    text: shortenBlanks(text),
    history: history.map((line) => ({ ...line, text: shortenBlanks(line.text) })),
    revision:
      revision === null
        ? null
        : { ...revision, feedback: revision.feedback.map((text) => shortenBlanks(text)) },
  };
}
