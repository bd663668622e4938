// Builds the configured planner: its tools, limits and budget.
import type { Database } from '#db/database.ts';
import { createPortfolioReader } from '#db/portfolio.ts';
import type { Platform } from '#domain/chat/inbox.ts';
import { systemClock } from '#domain/clock.ts';
import type { Planner } from '#domain/planning/run.ts';
import type { Catalogue, ToolRegistry } from '#domain/tool.ts';
import type { ChatModel } from '#models/chat.ts';
import { createBudget } from '#planner/budget/budget.ts';
import type { PlanningLimits } from '#planner/budget/limits.ts';
import { createPlanner } from '#planner/create-planner.ts';
import { openPlannerTools } from '#planner/open-tools.ts';
import type { PartPlanners, PlansAtHand, PostTargets } from '#planner/ports.ts';
import type { Config } from '../config.ts';

function readLimits(env: Config['env']): PlanningLimits {
  return {
    turns: env.TURN_LIMIT,
    retries: env.RETRY_LIMIT_PER_STAGE,
    wallSeconds: env.WALL_TIME_SEC,
    softPerTurn: env.SOFT_BUDGET_PER_TURN_USD,
    perSession: env.BUDGET_PER_SESSION_USD,
    perDay: env.BUDGET_PER_DAY_USD,
  };
}

export function openPlanner(
  { env, settings, timezone }: Config,
  parts: {
    registry: ToolRegistry;
    catalogue: Catalogue;
    db: Database;
    /** null: the offline planner. */
    model: ChatModel | null;
    /** Platforms whose people see no plans of another organisation. */
    apart: Platform[];
    /** What is shown of other plans to the one whose run it is. */
    plansOf: NonNullable<Parameters<typeof openPlannerTools>[0]['plansOf']>;
    atHand: PlansAtHand;
    posts: PostTargets;
    parts: PartPlanners;
    warn(message: string, err?: unknown): void;
  },
): Planner {
  const { registry, catalogue, db, model, apart, plansOf, atHand, posts, warn } = parts;
  const limits = readLimits(env);
  return createPlanner({
    tools: openPlannerTools({
      registry,
      catalogue,
      db: db.query,
      allowed: settings.plannerTools,
      guarded: settings.guardedTools,
      timezone,
      plansOf,
      atHand,
      posts,
      parts: parts.parts,
      calendars: Object.keys(settings.calendars),
      guardedApprovers: settings.guardedApprovers,
    }),
    model,
    limits,
    thresholds: settings.confidence,
    flags: {
      allowNewSubtypes: env.ALLOW_NEW_SUBTYPE_PROPOSALS,
      requireRfcForNewSubtype: env.REQUIRE_RFC_FOR_NEW_SUBTYPE,
    },
    profile: settings.schedule,
    guarded: settings.guardedTools,
    store: {
      db,
      budget: createBudget({
        db,
        clock: systemClock,
        caps: { turnSoft: limits.softPerTurn, session: limits.perSession, day: limits.perDay },
      }),
      otherPlans: createPortfolioReader(db.query, undefined, apart),
      warn,
    },
    clock: systemClock,
  });
}
