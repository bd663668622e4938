import type { PlanningLimits } from '#planner/budget/budget.ts';

export const limits: PlanningLimits = {
  turns: 10,
  retries: 2,
  wallSeconds: 45,
  softPerTurn: 0.3,
  perSession: 2,
  perDay: 5,
};
