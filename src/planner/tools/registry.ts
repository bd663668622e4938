// All planning tools: the thirteen, the conversation tools, and read operations.
import { z } from 'zod';
import { CountersignError } from '#domain/errors.ts';
import type { StrategyProfile } from '#domain/planning/schedule.ts';
import { type Stage, workingStages } from '#domain/planning/stages.ts';
import { JsonObject, line, toJson } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { trimTail } from '#domain/words.ts';
import { createOperationSearch, type OperationSearch } from '../catalogue/search-operations.ts';
import { Alternative } from '../policy/options.ts';
import type { PlannerTools } from '../ports.ts';
import type { PlanningTool, Product } from '../tool.ts';
import { succeed } from '../tool-result.ts';
import { createBuildRoadmap } from './build-roadmap.ts';
import { createCatalogueTools } from './catalogue-tools.ts';
import { conversationTools } from './conversation-tools.ts';
import { createDraftTools } from './draft-tools.ts';
import { createElicitContext } from './elicit-context.ts';
import { generateNodes } from './generate-nodes.ts';
import { createGenerateSchedule } from './generate-schedule.ts';
import { handleApproval } from './handle-approval.ts';
import { ideaStages, offerAlternatives } from './offer-alternatives.ts';
import { createProbePortfolio, type OtherPlans } from './probe-portfolio.ts';
import { createProbePreference, type PreferencePort } from './probe-preference.ts';
import { requestData } from './request-data.ts';
import { resolveDependencies } from './resolve-dependencies.ts';
import { selectPattern } from './select-pattern.ts';
import { openStages, type StageTool, toStageTool } from './stage-tool.ts';
import { summarize } from './summarize.ts';
import { validateGrammar } from './validate-grammar.ts';

// Whether tools can be called in the order of the stages at all (B3): each must find what it needs made by a tool of the
// same stage or an earlier one. It is asked once, before any session, so that no stage ever offers nothing.
export type Maker = Pick<StageTool, 'name' | 'stages' | 'prerequisites' | 'produces'>;

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

/** For the reasoner, which tells it to its model: remembered, so that a planner that takes over tells the same. */
const lookAroundTool: StageTool = {
  name: 'look_around',
  description: 'Looks at what is there before anything is planned.',
  parameters: { type: 'object', properties: {} },
  stages: openStages,
  prerequisites: [],
  produces: [],
  reads: false,
  isOffered: () => false,
  revision: 1,
  check: () => [],
  async run(_, { tools, state, signal }) {
    const found = await tools.lookAround?.(state.run_id, signal);
    return { result: succeed(toJson(found ?? { own: [], foreign: [] }), 'Looked around.') };
  },
};

// Operations that only read, as tools of the planner. A model calls them through `read`.

function readingTool(spec: OperationSpec): StageTool {
  return {
    name: spec.name,
    description: spec.description,
    parameters: spec.input,
    stages: openStages,
    prerequisites: [],
    produces: [],
    reads: true,
    isOffered: () => false,
    revision: 2,
    // The call itself says what is wrong, by the operation's own schema.
    check: () => [],
    async run(input, { tools, now, signal }) {
      const args = JsonObject.parse(input);
      const problems = tools.validate(spec.name, args);
      if (problems.length > 0)
        return { result: { ok: false, confidence: 0, explanations: problems, data: null } };
      const output = await tools.call(spec.name, args, signal);
      return {
        result: succeed(output.data, output.summary.slice(0, 500)),
        read: { operation: spec.name, args, data: output.data, at: now.toISOString() },
      };
    },
  };
}

const askedFor = z.boolean().describe('they asked for ideas or options');

// brainstorm: a few ideas how to go about what was asked for, when the person wants ideas. The content comes as
// arguments, from a model or from rules; that they are few, brief, actionable and really different is seen to here.
const Brainstorm = z.strictObject({
  topic: line(120).describe('as it follows “for”: “the team offsite”'),
  ideas: z.array(Alternative).min(2).max(8),
  asked_for: askedFor,
  confidence: z.number().min(0).max(1).nullable(),
});
type Brainstorm = z.infer<typeof Brainstorm>;

export const brainstorm: PlanningTool<Brainstorm> = {
  name: 'brainstorm',
  description:
    'Puts two or three different ideas how to go about it before the person. Only when they want ideas.',
  input: Brainstorm,
  stages: ideaStages,
  prerequisites: [],
  produces: [],
  automatic: null,
  revision: 1,
  run: async ({ topic, ideas, confidence, asked_for }, toolContext) =>
    offerAlternatives(
      {
        kind: 'idea',
        question: `Which of these fits best for ${trimTail(topic, /[.?\s]/)}?`,
        given: ideas,
        self: confidence,
        askedFor: asked_for,
      },
      toolContext,
    ),
};

// craft_options: two or three ways to decide one thing that the request leaves open, each with what sets it apart. The
// same rules as for ideas; the person answers with a number or a name.
const CraftOptions = z.strictObject({
  question: line(300).describe('the decision as a question'),
  options: z.array(Alternative).min(2).max(6),
  asked_for: askedFor,
  confidence: z.number().min(0).max(1).nullable(),
});
type CraftOptions = z.infer<typeof CraftOptions>;

export const craftOptions: PlanningTool<CraftOptions> = {
  name: 'craft_options',
  description:
    'Puts two or three options for one decision before the person, the best first. Only when they want options.',
  input: CraftOptions,
  stages: ideaStages,
  prerequisites: [],
  produces: [],
  automatic: null,
  revision: 1,
  run: async ({ question, options, confidence, asked_for }, toolContext) =>
    offerAlternatives(
      { kind: 'option', question, given: options, self: confidence, askedFor: asked_for },
      toolContext,
    ),
};

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
}): () => StageTool[] {
  const {
    tools,
    profile,
    otherPlans,
    preferences,
    guarded,
    search = createOperationSearch(),
    looksFirst = false,
  } = options;
  const own = [
    toStageTool(selectPattern),
    // A draft that is there is edited; it is not written anew.
    toStageTool(generateNodes, ({ outline }) => outline === null),
    toStageTool(createElicitContext(looksFirst)),
    lookAroundTool,
    ...createCatalogueTools(search, guarded),
    requestData,
    ...createDraftTools(profile),
    ...conversationTools,
    toStageTool(brainstorm),
    toStageTool(craftOptions),
    toStageTool(createProbePreference(preferences), () => false),
    toStageTool(validateGrammar),
    toStageTool(resolveDependencies),
    toStageTool(createBuildRoadmap({ guarded })),
    toStageTool(createGenerateSchedule({ profile })),
    toStageTool(createProbePortfolio({ profile, otherPlans })),
    // It takes what this program made of a person's decision; a model cannot call it.
    toStageTool(handleApproval, () => false),
    toStageTool(summarize, () => false),
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
