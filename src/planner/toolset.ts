// Every tool that planning has: the thirteen, the verbs of the conversation, and operations that only read.
import type { StrategyProfile } from '#contracts/planning/schedule.ts';
import type { PlannerTools } from './ports.ts';
import { requireOrder } from './stage-tools/check-order.ts';
import { conversationTools } from './stage-tools/conversation-tools.ts';
import { createReadingTools } from './stage-tools/reading-tools.ts';
import { type StageTool, toStageTool } from './stage-tools/stage-tool.ts';
import { brainstorm } from './tools/brainstorm.ts';
import { createBuildRoadmap } from './tools/build-roadmap.ts';
import { craftOptions } from './tools/craft-options.ts';
import { elicitContext } from './tools/elicit-context.ts';
import { generateNodes } from './tools/generate-nodes.ts';
import { createGenerateSchedule } from './tools/generate-schedule.ts';
import { handleApproval } from './tools/handle-approval.ts';
import { createProbePortfolio, type OtherPlans } from './tools/probe-portfolio.ts';
import { createProbePreference, type PreferencePort } from './tools/probe-preference.ts';
import { resolveDependencies } from './tools/resolve-dependencies.ts';
import { selectPattern } from './tools/select-pattern.ts';
import { summarize } from './tools/summarize.ts';
import { validateGrammar } from './tools/validate-grammar.ts';

export type { OtherPlans } from './tools/probe-portfolio.ts';

/**
 * @returns the tools as they are now: what can be read may change between turns
 * @throws CountersignError `internal`: a tool needs what nothing makes before it
 */
export function createToolset(options: {
  tools: PlannerTools;
  profile: StrategyProfile;
  otherPlans: OtherPlans;
  preferences: PreferencePort;
  /** Exact names of operations that are guarded. */
  guarded: readonly string[];
}): () => StageTool[] {
  const { tools, profile, otherPlans, preferences, guarded } = options;
  const own = [
    toStageTool(selectPattern),
    toStageTool(generateNodes),
    toStageTool(elicitContext),
    ...conversationTools,
    toStageTool(brainstorm),
    toStageTool(craftOptions),
    toStageTool(createProbePreference(preferences)),
    toStageTool(validateGrammar),
    toStageTool(resolveDependencies),
    toStageTool(createBuildRoadmap({ guarded })),
    toStageTool(createGenerateSchedule({ profile })),
    toStageTool(createProbePortfolio({ profile, otherPlans })),
    toStageTool(handleApproval),
    toStageTool(summarize),
  ];
  requireOrder(own);
  const names = own.map(({ name }) => name);
  return () => [...own, ...createReadingTools(tools, names)];
}
