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
  /** Readers of threads of the platforms that this process is connected to; they open after this. */
  threads: () => ThreadReaders;
  /** The same for attached files; omitted if no platform is connected. */
  files?: () => FileFetchers;
  /** A plan's public URL, or null if there is none. */
  linkTo: (planId: string) => string | null;
  /** Encrypts what people keep secret, or says why it cannot. */
  openSeal: () => Seal | string;
  warn(message: string, error?: unknown): void;
};

/** Whether no model is connected, so that messages are read by rules. */
export function readsCommands({ planner }: Pick<ConversationContext, 'planner'>): boolean {
  return planner.parsePolicyRequest !== undefined;
}
