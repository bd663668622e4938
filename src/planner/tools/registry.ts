// All planner tools.
import { type JsonObject, toJson } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { createOperationSearch, type OperationSearch } from '../catalogue/search-operations.ts';
import { toolDefaults } from '../define-tool.ts';
import type { PlannerTools } from '../ports.ts';
import { fail, succeed, type Tool } from '../tool.ts';
import { createBuildRoadmap } from './build-roadmap.ts';
import { createSearchTools, readFront } from './catalogue-tools.ts';
import { conversationTools } from './conversation-tools.ts';
import { draftTools } from './draft-tools.ts';
import { createElicitContext } from './elicit-context.ts';
import { generateNodes } from './generate-nodes.ts';
import { generateSchedule } from './generate-schedule.ts';
import { handleApproval } from './handle-approval.ts';
import { keepLong, readArtifact } from './long-outputs.ts';
import { craftOptions } from './offer-alternatives.ts';
import { createProbePortfolio, type OtherPlans } from './probe-portfolio.ts';
import { createProbePreference, type PreferencePort } from './probe-preference.ts';
import { readFile } from './read-file.ts';
import { requestData } from './request-data.ts';
import { resolveDependencies } from './resolve-dependencies.ts';
import { selectPattern } from './select-pattern.ts';
import { validateGrammar } from './validate-grammar.ts';

/** Remembered, so a planner that takes over shows the same. */
const lookAroundTool: Tool = {
  ...toolDefaults,
  name: 'look_around',
  description: 'Looks at what is there before anything is planned.',
  parameters: { type: 'object', properties: {} },
  hidden: true,
  revision: 1,
  prepare: () => ({ input: null }),
  async execute(_, { tools, state, signal }) {
    const found = await tools.lookAround?.(state.run_id, signal);
    return { result: succeed(toJson(found ?? { own: [], foreign: [] }), 'Looked around.') };
  },
};

// Called through `read`.

function readingTool(spec: OperationSpec): Tool<JsonObject> {
  return {
    ...toolDefaults,
    name: spec.name,
    description: spec.description,
    parameters: spec.input,
    reads: true,
    hidden: true,
    revision: 2,
    // The operation's schema reports problems.
    prepare: (args) => ({ input: args }),
    async execute(args, { tools, state, now, signal, user }) {
      const problems = tools.validate(spec.name, args);
      if (problems.length > 0) return { result: fail(...problems) };
      const { data, summary } = await tools.call(spec.name, args, signal, { user });
      const read = { operation: spec.name, args };
      const at = now.toISOString();
      const kept = await keepLong(read, data, { tools, state });
      return {
        result: succeed(kept ?? data, summary.slice(0, 500)),
        read: { ...read, data: kept ?? data, at },
      };
    },
  };
}

/** @returns current tools; reads may change between turns */
export function createToolset(options: {
  tools: PlannerTools;
  otherPlans: OtherPlans;
  preferences: PreferencePort;
  guarded: readonly string[];
  search?: OperationSearch;
  /** Refuses once what can be looked up. */
  looksFirst?: boolean;
}): () => Tool[] {
  const {
    tools,
    otherPlans,
    preferences,
    guarded,
    search = createOperationSearch(),
    looksFirst = false,
  } = options;
  const own: Tool[] = [
    selectPattern,
    generateNodes,
    createElicitContext(looksFirst),
    lookAroundTool,
    readFront,
    readArtifact,
    ...createSearchTools(search, guarded),
    readFile,
    requestData,
    ...draftTools,
    ...conversationTools,
    craftOptions,
    createProbePreference(preferences),
    validateGrammar,
    resolveDependencies,
    createBuildRoadmap({ guarded }),
    generateSchedule,
    createProbePortfolio({ otherPlans }),
    handleApproval,
  ];
  const names = new Set(own.map(({ name }) => name));
  // Own tools first: servers can't take their names.
  return () => [
    ...own,
    ...tools
      .readable()
      .filter(({ name }) => !names.has(name))
      .map(readingTool),
  ];
}
