// Every tool that planning has: the thirteen, the verbs of the conversation, and operations that only read.
import type { StrategyProfile } from '#contracts/planning/schedule.ts';
import type { PlannerTools } from './ports.ts';
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
import { type BenchTool, toBenchTool } from './workbench/bench-tool.ts';
import { requireOrder } from './workbench/check-order.ts';
import { conversationTools } from './workbench/conversation-tools.ts';
import { createReadingTools } from './workbench/reading-tools.ts';

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
}): () => BenchTool[] {
  const { tools, profile, otherPlans, preferences, guarded } = options;
  const own = [
    toBenchTool(selectPattern),
    toBenchTool(generateNodes),
    toBenchTool(elicitContext),
    ...conversationTools,
    toBenchTool(brainstorm),
    toBenchTool(craftOptions),
    toBenchTool(createProbePreference(preferences)),
    toBenchTool(validateGrammar),
    toBenchTool(resolveDependencies),
    toBenchTool(createBuildRoadmap({ guarded })),
    toBenchTool(createGenerateSchedule({ profile })),
    toBenchTool(createProbePortfolio({ profile, otherPlans })),
    toBenchTool(handleApproval),
    toBenchTool(summarize),
  ];
  requireOrder(own);
  const names = own.map(({ name }) => name);
  return () => [...own, ...createReadingTools(tools, names)];
}
