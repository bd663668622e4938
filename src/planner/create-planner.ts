// Assembles a planner: the controller, a reasoner (a language model if one is configured, else the command grammar), the tools
// and the stores.
import type { Database, Queryable } from '#db/database.ts';
import { markProbed, readPolicy } from '#db/people/policies.ts';
import { forgetStates, insertCheckpoint, readLatestCheckpoint } from '#db/planning/checkpoints.ts';
import { findExceeded, type Spent } from '#domain/budget.ts';
import { type Clock, systemClock } from '#domain/clock.ts';
import { payingRun } from '#domain/planning/part.ts';
import type { Planner } from '#domain/planning/run.ts';
import { StrategyProfile } from '#domain/planning/schedule.ts';
import type { PlanningState } from '#domain/planning/state.ts';
import type { ChatModel } from '#models/chat.ts';
import { type Budget, firstOutputTokens } from './budget/budget.ts';
import type { PlanningLimits } from './budget/limits.ts';
import type { PaidModel } from './budget/paid-model.ts';
import { payForCalls } from './budget/pay-for-calls.ts';
import { createOperationSearch, type OperationSearch } from './catalogue/search-operations.ts';
import { type Checkpoints, keepInMemory, type Transition } from './controller/checkpoints.ts';
import { type ControllerOptions, createController } from './controller/controller.ts';
import { createRemember } from './memo/remember-outcomes.ts';
import { createModelReasoner } from './model/model-reasoner.ts';
import { createCommandReasoner } from './offline/reasoner.ts';
import { readPolicyWish } from './policy/policy-words.ts';
import type { PlannerTools } from './ports.ts';
import type { Reasoner } from './reasoner.ts';
import { runAgain } from './run-again.ts';
import type { Thresholds } from './stages/confidence.ts';
import { isResting } from './stages/table.ts';
import type { OtherPlans } from './tools/probe-portfolio.ts';
import type { PreferencePort } from './tools/probe-preference.ts';
import { createToolset } from './tools/registry.ts';

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

function createReasoner(
  options: CreatePlannerOptions,
  clock: Clock,
  search: OperationSearch,
): Reasoner {
  const { model, limits, store = null, spentToday = () => Promise.resolve(0) } = options;
  if (model === null) return createCommandReasoner();
  const inMemory = createMemoryBudget(model, limits, spentToday);
  return createModelReasoner({
    name: model.name,
    limits,
    clock,
    catalogue: { search, guarded: new Set(options.guarded) },
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
  const search = createOperationSearch();
  const controller = createController({
    reasoner: createReasoner(options, clock, search),
    tools,
    toolset: createToolset({
      tools,
      profile,
      otherPlans: store?.otherPlans ?? (() => Promise.resolve({ blocks: [], more: false })),
      preferences: store === null ? nobodyToAsk : openPreferences(store.db.query),
      guarded: options.guarded ?? [],
      search,
      looksFirst: options.model !== null,
    }),
    checkpoints: store === null ? keepInMemory() : keepInDatabase(store.db.query, store.warn),
    rememberFor(place, toolContext, readState) {
      if (store !== null) return createRemember(store.db.query, place, toolContext, readState);
      return async (_, __, make) => ({ outcome: await make(), remembered: false });
    },
    readCost:
      store === null
        ? null
        : async ({ runId, turn, user }) => {
            // What a part costs is booked on its run, with all the others.
            if (payingRun({ runId, turn }).runId !== runId) return null;
            return (await store.budget.readSpent({ runId, turn, user })).turn;
          },
    limits,
    thresholds: options.thresholds ?? usualThresholds,
    flags: options.flags ?? { allowNewSubtypes: true, requireRfcForNewSubtype: true },
    clock,
  });
  const { name } = controller;
  return {
    name,
    async plan(request, ...rest) {
      const again = await runAgain(tools, request, { name, isModel: options.model !== null });
      return again ?? controller.plan(request, ...rest);
    },
    // A model keeps what it reads of this with set_policy.
    ...(options.model === null ? { readWish: readPolicyWish } : {}),
  };
}

// What probe_preference knows of people, from the store.
export function openPreferences(db: Queryable): PreferencePort {
  return {
    async isKnown(user) {
      const { policy, probed } = await readPolicy(db, user);
      return probed || policy.conversation_style !== undefined;
    },
    claim: (user) => markProbed(db, user),
  };
}

// A budget for a planner that has no database: the same ceilings, kept for as long as the process lives.

/** @param spentToday US dollars of the day before anything this planner spends */
function createMemoryBudget(
  model: ChatModel,
  limits: PlanningLimits,
  spentToday: () => Promise<number>,
): (place: { runId: string; turn: number }) => PaidModel {
  const runs = new Map<string, number>();
  let all = 0;
  return ({ runId }) => {
    let turn = 0;
    return {
      name: model.name,
      async complete(request, { softLifted }, signal) {
        const estimate_usd = await model.estimateCost(request, firstOutputTokens);
        const session = runs.get(runId) ?? 0;
        const day = (await spentToday()) + all;
        const spent: Spent = { turn, session, person: 0, organisation: 0, day };
        const ceiling = findExceeded(spent, estimate_usd, limits, softLifted);
        if (ceiling !== null)
          return { kind: 'exceeded', ceiling, spent_usd: spent[ceiling], estimate_usd };
        const reply = await model.complete(request, signal);
        runs.set(runId, session + reply.cost_usd);
        turn += reply.cost_usd;
        all += reply.cost_usd;
        return { kind: 'reply', reply, remembered: false };
      },
    };
  };
}

// Sessions that outlive their planner (B10): stored in Postgres after each transition, taken up from there by the next one.
// Of two planners at the same turn one writes the next checkpoint; the other learns that it was overtaken.

/**
 * Writes `state` behind `after`. Where that place is taken by an earlier turn, whose planner was late, it goes behind that
 * one: people have gone on, so what it wrote counts no more.
 * @returns where it stands; null: this turn or a later one has another planner
 */
async function append(
  db: Queryable,
  state: PlanningState,
  transition: Transition | null,
  after: number,
): Promise<number | null> {
  const closes = isResting(state.stage);
  for (let seq = after + 1; ; ) {
    if (await insertCheckpoint(db, { state, seq, transition, closes })) return seq;
    const latest = await readLatestCheckpoint(db, state.run_id);
    if (latest === null || latest.turn >= state.turn) return null;
    seq = latest.seq + 1;
  }
}

export function keepInDatabase(
  db: Queryable,
  warn: (message: string, error?: unknown) => void,
): Checkpoints {
  /** Runs whose last state this version cannot read: their sessions start anew behind it. */
  const unread = new Map<string, number>();
  return {
    async read(runId) {
      const row = await readLatestCheckpoint(db, runId);
      if (row === null) return null;
      if (row.state.success) return { state: row.state.data, seq: row.seq };
      warn(
        `The planning session of run ${runId} was stored in a shape this version does not know; it starts anew.`,
        row.state.error,
      );
      unread.set(runId, row.seq);
      return null;
    },
    async append(state, transition, seq) {
      const begun = seq === 0 ? unread.get(state.run_id) : undefined;
      unread.delete(state.run_id);
      const stored = await append(db, state, transition, begun ?? seq);
      // A turn begins: one before it that never came to rest has left its states behind.
      if (stored !== null && opensTurn(transition, stored)) await forgetStates(db, state);
      return stored;
    },
  };
}

/** The first checkpoint of a turn follows no transition, or one out of a state in which the session rested. */
function opensTurn(transition: Transition | null, seq: number): boolean {
  return seq > 1 && (transition === null || isResting(transition.from));
}
