import { StrategyProfile } from '#domain/planning/schedule.ts';
import type { ConversationContext } from '#messages/context.ts';
import { scriptedPlanner, type TestInstance } from './instance.ts';

export const makeConversationContext = (
  { db, catalogue, listener }: TestInstance,
  laterMs: number,
  overrides: Partial<ConversationContext> = {},
): ConversationContext => ({
  ...{ db, catalogue, listener },
  enqueue: async () => {},
  guardedTools: [],
  approvers: [],
  guardedApprovers: {},
  onFailure: 'continue_independent',
  personLimits: {},
  replan: 'automatic',
  resourcePools: {},
  clock: { now: () => new Date(Date.now() + laterMs) },
  random: { hex: (bytes) => '0'.repeat(bytes * 2) },
  planner: scriptedPlanner(() => ({ kind: 'answer', text: 'Never asked.' })),
  readBusy: async () => ({ busy: [], failed: false }),
  executorModel: null,
  modelHost: null,
  modes: { plan_reasoning_mode: 'normal', planning_mode: 'normal', reasoning_level: 3 },
  planningSeconds: 10,
  timezone: 'UTC',
  profile: StrategyProfile.parse({}),
  threads: () => ({}),
  linkTo: () => null,
  openSeal: () => 'There is no key.',
  warn: () => {},
  ...overrides,
});
