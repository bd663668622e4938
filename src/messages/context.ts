// Dependencies of the modules that store and answer messages.
import type { Listener } from '#db/notify.ts';
import type { Seal } from '#db/seal.ts';
import type { FileFetchers, ThreadReaders } from '#domain/chat/thread.ts';
import type { PlanningModes } from '#domain/plan/modes.ts';
import type { Planner } from '#domain/planning/run.ts';
import type { ReadBusy } from '#domain/planning/shift.ts';
import type { Settings } from '#domain/settings.ts';
import type { PlansContext } from '#plans/plans-context.ts';

export type ConversationContext = PlansContext & {
  planner: Planner;
  readBusy: ReadBusy;
  executorModel: string | null;
  modelHost: string | null;
  modes: PlanningModes;
  planningSeconds: number;
  timezone: string;
  personLimits: Settings['limits']['person'];
  listener: Listener;
  /** This process's platforms, which open after this. */
  threads: () => ThreadReaders;
  files?: () => FileFetchers;
  linkTo: (planId: string) => string | null;
  /** Text says why nothing can be encrypted. */
  openSeal: () => Seal | string;
  warn(message: string, error?: unknown): void;
};

/** No model is connected, so messages are read by rules. */
export function readsCommands({ planner }: Pick<ConversationContext, 'planner'>): boolean {
  return planner.parsePolicyRequest !== undefined;
}
