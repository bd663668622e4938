// Dependencies of the modules that store and answer messages.
import type { Listener } from '#db/notify.ts';
import type { PlanningModes } from '#domain/plan/modes.ts';
import type { Planner } from '#domain/planning/run.ts';
import type { StrategyProfile } from '#domain/planning/schedule.ts';
import type { Settings } from '#domain/settings.ts';
import type { PlansContext } from '#plans/plans-context.ts';

export type ConversationContext = PlansContext & {
  planner: Planner;
  executorModel: string | null;
  /** The host that the executor's model is asked at; null: there is no model. */
  modelHost: string | null;
  modes: PlanningModes;
  /** Seconds a planner may take. */
  planningSeconds: number;
  timezone: string;
  /** What one person may ask for. */
  personLimits: Settings['limits']['person'];
  /** When people work, for plans that have no schedule of their own. */
  profile: StrategyProfile;
  listener: Listener;
  /** Where people can open a plan, if there is a place. */
  linkTo: (planId: string) => string | null;
  warn(message: string, error?: unknown): void;
};
