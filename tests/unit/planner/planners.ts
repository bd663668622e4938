// Planners for tests: nothing is kept, nothing is paid.
import { systemClock } from '#domain/clock.ts';
import type { Planner } from '#domain/planning/run.ts';
import type { PlanningLimits } from '#planner/budget/limits.ts';
import { createPlanner } from '#planner/create-planner.ts';
import type { PlannerTools } from '#planner/ports.ts';

export const limits: PlanningLimits = {
  turns: 10,
  retries: 2,
  wallSeconds: 45,
  softPerTurn: 0.3,
  perSession: 2,
  perDay: 5,
};

export function createOfflinePlanner({ tools }: { tools: PlannerTools }): Planner {
  return createPlanner({ tools, model: null, limits, clock: systemClock });
}
