// Chooses the planner: a language model where one is configured, else the offline planner.
import type { Clock } from '#contracts/clock.ts';
import type { Planner } from '#contracts/run.ts';
import type { ChatModel } from '#models/chat-model.ts';
import { createModelPlanner, type PlanningLimits } from './model/model-planner.ts';
import { createOfflinePlanner } from './offline/offline-planner.ts';
import type { PlannerTools } from './ports.ts';

export type CreatePlannerOptions = {
  tools: PlannerTools;
  /** null: no model is configured. */
  model: ChatModel | null;
  limits: PlanningLimits;
  spentToday?: () => Promise<number>;
  clock?: Clock;
};

export function createPlanner(options: CreatePlannerOptions): Planner {
  const { model, ...rest } = options;
  return model === null ? createOfflinePlanner(rest) : createModelPlanner({ ...rest, model });
}
