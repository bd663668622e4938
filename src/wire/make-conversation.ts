// What the conversation room is given, from a configuration and what is open.
import type { Config } from '#config';
import { systemClock, systemRandom } from '#contracts/clock.ts';
import type { Planner } from '#contracts/run.ts';
import type { Catalogue } from '#contracts/tool.ts';
import type { ConversationContext } from '#conversation/conversation-context.ts';
import type { Connections } from './open-connections.ts';

export function makeConversation(
  { env, settings, timezone }: Config,
  parts: {
    connections: Connections;
    catalogue: Catalogue;
    planner: Planner;
    /** Whether steps may ask a model. */
    hasModel: boolean;
    linkTo: (planId: string) => string | null;
    warn(message: string, err?: unknown): void;
  },
): ConversationContext {
  const { connections, catalogue, planner, hasModel, linkTo, warn } = parts;
  const { db, enqueue, listener } = connections;
  return {
    db,
    enqueue,
    catalogue,
    guardedTools: settings.guardedTools,
    approvers: settings.approvers,
    guardedApprovers: settings.guardedApprovers,
    resourcePools: settings.resourcePools,
    onFailure: settings.executor.on_failure,
    clock: systemClock,
    random: systemRandom,
    planner,
    executorModel: hasModel ? env.EXECUTOR_MODEL : null,
    modes: {
      plan_reasoning_mode: env.PLAN_REASONING_MODE_DEFAULT,
      planning_mode: env.PLANNING_MODE_DEFAULT,
      reasoning_level: env.REASONING_LEVEL_DEFAULT,
    },
    planningSeconds: env.WALL_TIME_SEC,
    timezone,
    profile: settings.schedule,
    listener,
    linkTo,
    warn,
  };
}
