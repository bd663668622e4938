// All tools of the planner: the thirteen, edits of the draft, the conversation, and operations that read.
import { CountersignError } from '#domain/errors.ts';
import type { StrategyProfile } from '#domain/planning/schedule.ts';
import { type Stage, workingStages } from '#domain/planning/stages.ts';
import { type JsonObject, toJson } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { createOperationSearch, type OperationSearch } from '../catalogue/search-operations.ts';
import { toolDefaults } from '../define-tool.ts';
import type { PlannerTools } from '../ports.ts';
import { fail, type Product, succeed, type Tool } from '../tool.ts';
import { createBuildRoadmap } from './build-roadmap.ts';
import { createSearchTools, readFront } from './catalogue-tools.ts';
import { conversationTools } from './conversation-tools.ts';
import { createDraftTools } from './draft-tools.ts';
import { createElicitContext } from './elicit-context.ts';
import { generateNodes } from './generate-nodes.ts';
import { createGenerateSchedule } from './generate-schedule.ts';
import { handleApproval } from './handle-approval.ts';
import { brainstorm, craftOptions } from './offer-alternatives.ts';
import { createProbePortfolio, type OtherPlans } from './probe-portfolio.ts';
import { createProbePreference, type PreferencePort } from './probe-preference.ts';
import { requestData } from './request-data.ts';
import { resolveDependencies } from './resolve-dependencies.ts';
import { selectPattern } from './select-pattern.ts';
import { summarize } from './summarize.ts';
import { validateGrammar } from './validate-grammar.ts';

// Whether tools can be called in the order of the stages at all (B3): each must find what it needs made by a tool of the
// same stage or an earlier one. It is asked once, before any session, so that no stage ever offers nothing.
export type Maker = Pick<Tool, 'name' | 'stages' | 'prerequisites' | 'produces'>;

const way: readonly Stage[] = workingStages;

/** A stage that makes something itself, without a tool. */
const stagesThatMake: Maker[] = [
  {
    name: 'VALIDATE_ROADMAP',
    stages: ['VALIDATE_ROADMAP'],
    prerequisites: ['roadmap'],
    produces: ['valid_roadmap'],
  },
];

/** The first place on the way at which `maker` can be called; Infinity: there is none. */
function firstPlace({ stages, prerequisites }: Maker, made: Map<Product, number>): number {
  const from = Math.max(0, ...prerequisites.map((product) => made.get(product) ?? Infinity));
  const places = stages.map((stage) => way.indexOf(stage)).filter((place) => place >= from);
  return Math.min(Infinity, ...places);
}

/** A sentence for each tool that could never be called; empty when all is in order. */
export function findMisordered(tools: Maker[]): string[] {
  const made = new Map<Product, number>();
  let waiting = [...stagesThatMake, ...tools];
  // As with Kahn's algorithm: what can be called makes its products, which may free others; what is left cannot.
  for (let place = 0; place < way.length; ) {
    const ready = waiting.filter((maker) => firstPlace(maker, made) <= place);
    if (ready.length === 0) {
      place += 1;
      continue;
    }
    waiting = waiting.filter((maker) => !ready.includes(maker));
    for (const product of ready.flatMap(({ produces }) => produces))
      if (!made.has(product)) made.set(product, place);
  }
  return waiting
    .filter((maker) => tools.includes(maker))
    .map(({ name, prerequisites, stages }) => {
      const needs = prerequisites.join(' and ') || 'nothing';
      return `${name} needs ${needs}, which nothing makes by ${stages.at(-1) ?? 'any stage'}.`;
    });
}

/** @throws CountersignError `internal`: the tools contradict each other */
export function requireOrder(tools: Maker[]): void {
  const problems = findMisordered(tools);
  if (problems.length > 0) throw new CountersignError('internal', problems.join(' '));
}

/** For the reasoner, which shows it to its model: remembered, so that a planner that takes over shows the same. */
const lookAroundTool: Tool = {
  ...toolDefaults,
  name: 'look_around',
  description: 'Looks at what is there before anything is planned.',
  parameters: { type: 'object', properties: {} },
  isOffered: () => false,
  revision: 1,
  prepare: () => ({ input: null }),
  async execute(_, { tools, state, signal }) {
    const found = await tools.lookAround?.(state.run_id, signal);
    return { result: succeed(toJson(found ?? { own: [], foreign: [] }), 'Looked around.') };
  },
};

// Operations that only read, as tools of the planner. A model calls them through `read`.

function readingTool(spec: OperationSpec): Tool<JsonObject> {
  return {
    ...toolDefaults,
    name: spec.name,
    description: spec.description,
    parameters: spec.input,
    reads: true,
    isOffered: () => false,
    revision: 2,
    // The call itself says what is wrong, by the operation's own schema.
    prepare: (args) => ({ input: args }),
    async execute(args, { tools, now, signal }) {
      const problems = tools.validate(spec.name, args);
      if (problems.length > 0) return { result: fail(...problems) };
      const output = await tools.call(spec.name, args, signal);
      return {
        result: succeed(output.data, output.summary.slice(0, 500)),
        read: { operation: spec.name, args, data: output.data, at: now.toISOString() },
      };
    },
  };
}

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
  search?: OperationSearch;
  /** Questions that can be looked up are refused once. */
  looksFirst?: boolean;
}): () => Tool[] {
  const {
    tools,
    profile,
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
    ...createSearchTools(search, guarded),
    requestData,
    ...createDraftTools(profile),
    ...conversationTools,
    brainstorm,
    craftOptions,
    createProbePreference(preferences),
    validateGrammar,
    resolveDependencies,
    createBuildRoadmap({ guarded }),
    createGenerateSchedule({ profile }),
    createProbePortfolio({ profile, otherPlans }),
    handleApproval,
    summarize,
  ];
  requireOrder(own);
  const names = new Set(own.map(({ name }) => name));
  // The planner's own tools come first: a server cannot take their names.
  return () => [
    ...own,
    ...tools
      .readable()
      .filter(({ name }) => !names.has(name))
      .map(readingTool),
  ];
}
