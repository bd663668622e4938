// What the conversation room is given.
import type { StrategyProfile } from '#contracts/planning/schedule.ts';
import type { Planner, PlanningModes } from '#contracts/run.ts';
import type { PlansContext } from '#plans/plans-context.ts';
import type { Listener } from '#store/notify.ts';

export type ConversationContext = PlansContext & {
  planner: Planner;
  executorModel: string | null;
  modes: PlanningModes;
  /** Seconds a planner may take. */
  planningSeconds: number;
  timezone: string;
  /** When people work, for plans that have no schedule of their own. */
  profile: StrategyProfile;
  listener: Listener;
  /** Where people can open a plan, if there is a place. */
  linkTo: (planId: string) => string | null;
  warn(message: string, error?: unknown): void;
};
