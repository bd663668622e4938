// Builds the configured planner.
import { readBackends } from '#db/backends.ts';
import type { Database } from '#db/database.ts';
import { readNameKeys } from '#db/people/identities.ts';
import { readRun, tenantOfTurn } from '#db/planning/runs.ts';
import { readUsualStepCost } from '#db/planning/spending.ts';
import { createPortfolioReader } from '#db/plans/portfolio.ts';
import { type Caps, findTooSmall } from '#domain/budget.ts';
import { systemClock } from '#domain/clock.ts';
import type { AskPlanner } from '#domain/plan/replan.ts';
import { payingRun } from '#domain/planning/part.ts';
import type { Planner } from '#domain/planning/run.ts';
import type { ReadBusy } from '#domain/planning/shift.ts';
import { perOrganisation, reaches, type Tenancy } from '#domain/tenancy.ts';
import type { Catalogues, ToolHost } from '#domain/tool.ts';
import type { ConversationContext } from '#messages/context.ts';
import { readModelAccess } from '#models/access.ts';
import { computeBound, findPrice, findUnknownPrices } from '#models/catalogue.ts';
import type { ChatModel } from '#models/chat.ts';
import type { ExecutorModels } from '#models/executor-models.ts';
import { type Budget, firstOutputTokens, type PlanningLimits } from '#planner/budget/budget.ts';
import { createPlanner, openPlannerStore } from '#planner/create-planner.ts';
import type {
  AttachedFiles,
  DataRequests,
  PartPlanners,
  PlannerTools,
  PlansAtHand,
  PostTargets,
} from '#planner/ports.ts';
import { createReads, openPlannerTools } from '#planner/reads/open-reads.ts';
import { createAskPlanner } from '#planner/replan/propose-repair.ts';
import { createReadBusy } from '#planner/schedule/busy.ts';
import { type ModelBudget, usablePools } from '#plans/plans-context.ts';
import { createPlanInRepair } from '#runs/plans-at-hand.ts';
import type { Config } from '../config.ts';

export function readCaps({ env, settings: { limits } }: Config): Caps {
  return {
    softPerTurn: env.SOFT_BUDGET_PER_TURN_USD,
    perSession: env.BUDGET_PER_SESSION_USD,
    perPerson: limits.person.usd_per_day,
    perOrganisation: limits.organisation.usd_per_day,
    perDay: env.BUDGET_PER_DAY_USD,
  };
}

/** Input tokens of typical first planning calls and steps. */
const planningCall = { input: 6000, output: firstOutputTokens };
const stepCall = { input: 2000, output: 500 };

/** A sentence per cap too small for any call of the planner's model. */
export function findSmallCaps(config: Config): string[] {
  const { PLANNER_MODEL: model } = config.env;
  const price = findPrice(model, config.settings.prices);
  if (price === null) return [];
  const { input, output } = planningCall;
  return findTooSmall(readCaps(config), model, computeBound(price, input, output));
}

/** Approvals check plans' model calls against it. */
export function readModelBudget(config: Config): ModelBudget {
  const { input, output } = stepCall;
  return {
    caps: readCaps(config),
    usual: config.env.EXECUTOR_MODEL,
    firstCallUsd(model) {
      const price = findPrice(model, config.settings.prices);
      return price === null ? 0 : computeBound(price, input, output);
    },
  };
}

function readLimits(config: Config): PlanningLimits {
  const { env } = config;
  return {
    turns: env.TURN_LIMIT,
    retries: env.RETRY_LIMIT_PER_STAGE,
    wallSeconds: env.WALL_TIME_SEC,
    ...readCaps(config),
  };
}

type PlannerParts = {
  registry: ToolHost;
  catalogue: Catalogues;
  readTenancy: () => Tenancy;
  db: Database;
  /** Null for the offline planner. */
  model: ChatModel | null;
  budget: Budget;
  /** Visible to the run's requester. */
  plansOf: NonNullable<Parameters<typeof openPlannerTools>[0]['plansOf']>;
  atHand: PlansAtHand;
  posts: PostTargets;
  files: AttachedFiles;
  parts: PartPlanners;
  requests: DataRequests;
  warn(message: string, err?: unknown): void;
};

type ToolParts = Pick<PlannerParts, 'registry' | 'catalogue' | 'readTenancy' | 'db'>;

function openTools(
  config: Config,
  tenant: string | null,
  {
    registry,
    catalogue,
    readTenancy,
    db,
    ...ports
  }: ToolParts &
    Partial<Pick<PlannerParts, 'plansOf' | 'atHand' | 'posts' | 'files' | 'parts' | 'requests'>>,
): PlannerTools {
  const { settings, timezone } = config;
  const tenancy = readTenancy();
  const { usual, firstCallUsd } = readModelBudget(config);
  return openPlannerTools({
    estimateStep: async () => (await readUsualStepCost(db.query, usual)) ?? firstCallUsd(usual),
    registry: registry.of(tenant),
    catalogue: catalogue.of(tenant),
    db: db.query,
    allowed: settings.plannerTools,
    guarded: settings.guardedTools,
    timezone,
    calendars: Object.entries(settings.calendars).flatMap(([name, calendar]) =>
      reaches(tenancy, calendar, tenant) ? [name] : [],
    ),
    guardedApprovers: settings.guardedApprovers,
    backends: () => readBackends(db.query),
    capacity: {
      pools: usablePools(settings.resourcePools),
      capabilities: Object.values(settings.backends).flatMap((one) => one.capabilities),
    },
    ...ports,
  });
}

/** @param contextOf conversations, created later */
export function openAskPlanner(
  config: Config,
  { model, ...parts }: ToolParts & { model: ChatModel },
  contextOf: () => ConversationContext,
): AskPlanner {
  return createAskPlanner({
    model,
    db: parts.db.query,
    toolsOf: perOrganisation(parts.readTenancy, (tenant) => openTools(config, tenant, parts)),
    plan: createPlanInRepair(contextOf),
    limits: readLimits(config),
    guarded: config.settings.guardedTools,
    clock: systemClock,
  });
}

export function openReadBusy(
  { settings, timezone }: Config,
  { registry, readTenancy }: Pick<PlannerParts, 'registry' | 'readTenancy'>,
): ReadBusy {
  const { plannerTools: allowed, guardedTools: guarded } = settings;
  const toolsOf = perOrganisation(readTenancy, (tenant) =>
    createReads({ registry: registry.of(tenant), allowed, guarded, timezone }),
  );
  return createReadBusy(toolsOf, systemClock);
}

export function openPlanner(config: Config, parts: PlannerParts): Planner {
  const { env, settings } = config;
  const { db, model, budget, readTenancy, warn } = parts;
  const limits = readLimits(config);
  const plannerOf = perOrganisation(readTenancy, (tenant, { apart }) =>
    createPlanner({
      tools: openTools(config, tenant, parts),
      model,
      limits,
      thresholds: settings.confidence,
      flags: {
        allowNewSubtypes: env.ALLOW_NEW_SUBTYPE_PROPOSALS,
        requireRfcForNewSubtype: env.REQUIRE_RFC_FOR_NEW_SUBTYPE,
      },
      profile: settings.schedule,
      guarded: settings.guardedTools,
      store: openPlannerStore({
        db,
        budget,
        otherPlans: createPortfolioReader(db.query, {
          apart,
          keysOf: (people) => readNameKeys(db.query, people),
        }),
        warn,
      }),
      clock: systemClock,
    }),
  );
  return {
    ...plannerOf(null),
    async plan(request, ...rest) {
      const { runId, turn } = request;
      // A part's planner works for its run's organisation.
      const run = await readRun(db.query, payingRun({ runId, turn }).runId);
      return plannerOf(tenantOfTurn(run)).plan(request, ...rest);
    },
  };
}

type Models = {
  planner: ChatModel;
  executors: ExecutorModels;
  findProblem: (name: string) => string | null;
};

/** Null without a model; loads its code only if needed. */
export async function openModels(
  config: Config,
  warn: (message: string) => void,
): Promise<Models | null> {
  const { env, settings } = config;
  const access = readModelAccess(env);
  if (access === null) return null;
  const [{ createChatModel }, { createExecutorModels, findModelProblem }, { openModelClient }] =
    await Promise.all([
      import('#models/chat-model.ts'),
      import('#models/executor-models.ts'),
      import('#models/open-client.ts'),
    ]);
  const client = await openModelClient(access);
  const { api, isOpenAi } = access;
  const { prices } = settings;
  const offer = { env, prices, isOpenAi };
  const problems = [...findUnknownPrices(env, prices), ...findSmallCaps(config)];
  for (const problem of problems) warn(problem);
  return {
    planner: createChatModel({
      client,
      api,
      name: env.PLANNER_MODEL,
      effort: env.PLANNER_REASONING_EFFORT,
      prices,
    }),
    executors: createExecutorModels(offer, (name) =>
      createChatModel({ client, api, name, prices }),
    ),
    findProblem: (name) => findModelProblem(offer, name),
  };
}
