// submit_plan: checks the whole draft for the person.
import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { z } from 'zod';
import { dollars } from '#domain/budget.ts';
import { parseInSlices } from '#domain/parse-in-slices.ts';
import { hasRuntime, isOpen, referencesOf } from '#domain/plan/arguments.ts';
import { conditionsOf } from '#domain/plan/condition.ts';
import { PlanDraft } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { OutlineGap, PlanOutline } from '#domain/planning/outline.ts';
import type { PlanningState, SessionRead } from '#domain/planning/state.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { countOf, listOf, onOneLine, shorten } from '#domain/words.ts';
import { defineTool } from '../define-tool.ts';
import { checkDraft, checkPosts, pinPosts } from '../draft/check-draft.ts';
import { draftPlan } from '../draft/draft-plan.ts';
import { readPreferences, readRisks, WrittenPreferences } from '../outline/written-outline.ts';
import { patternOf, readFeatures, usePattern } from '../patterns/fit.ts';
import { findPartialBases, toToolOutputs } from '../reads/session-reads.ts';
import { fail, succeed, type ToolContext } from '../tool.ts';
import { countSteps } from './draft-tool.ts';
import { putQuestions, type Question } from './elicit-context.ts';
import { scaffoldTool } from './scaffold.ts';

const maxProblems = 20;
const maxDoubts = 5;

const SubmitPlan = z.strictObject({
  title: z.string().optional(),
  summary: z.string().optional().describe('“Writes …”'),
  risks: z.array(z.string()).optional().describe('and what was assumed'),
  preferences: z
    .looseObject({})
    .optional()
    .describe(
      'as they said: order: as said | one at a time | checked; in_working_hours: true; budget_usd: 0.2, the most that models may cost',
    ),
  confidence: z.number().describe('0 to 1: this is what they want'),
});
const SubmissionInput = SubmitPlan.extend({
  title: z.string().nullish(),
  summary: z.string().nullish(),
  risks: z
    .array(z.union([z.string(), z.looseObject({ text: z.string(), sign: z.string().nullish() })]))
    .nullish(),
  preferences: z.looseObject({}).nullish(),
  confidence: z.number().nullish(),
  checked: z.boolean().nullish(),
});

/** The text is for those who can open the thread. */
function describeThread({ thread, now }: Readonly<PlanningState>): SessionRead[] {
  if (thread == null) return [];
  const { read, total, link, note } = thread;
  const of = total === null ? 'more messages' : countOf(total, 'message');
  const much = read === total ? countOf(read, 'message') : `${read} of ${of}`;
  const what = `This thread, ${read === 0 ? 'not read' : much}${note === null ? '' : `: ${note}`}`;
  const args = { what, ...(link === null ? {} : { url: link }) };
  return [{ operation: 'chat_thread', args, data: { text: what }, at: now }];
}

/** Adds this session's reads. */
function withEvidence(
  outline: PlanOutline,
  state: Readonly<PlanningState>,
  { tools }: Pick<ToolContext, 'tools'>,
): PlanOutline {
  // Reads a scaffold skips are not evidence.
  const reads = [
    ...describeThread(state),
    ...state.reads.filter(({ operation }) => operation !== scaffoldTool),
  ];
  if (reads.length === 0) return outline;
  const { context } = outline;
  const specs = new Map(tools.manifest().map((spec) => [spec.name, spec]));
  const base =
    typeof context === 'object'
      ? context
      : { notes: context ?? '', artifacts: [], tool_outputs: {} };
  const outputs = toToolOutputs(reads, base.tool_outputs, (name) => {
    const spec = specs.get(name);
    return { tool: spec?.tool ?? name, operation: spec?.operation ?? name };
  });
  return { ...outline, context: { ...base, tool_outputs: outputs } };
}

/** Counts come from code. */
function withGroups(summary: string, { nodes }: PlanOutline): string {
  const groups = nodes.flatMap(({ id, title, steps }) => {
    if (steps.length < 2 || !steps.every(({ tags = [] }) => tags.includes(id))) return [];
    const partitions = [...new Set(steps.flatMap(({ partition }) => partition ?? []))];
    const parts =
      partitions.length === 0
        ? ''
        : ` in ${countOf(partitions.length, 'partition')}, ${partitions[0]} to ${partitions.at(-1)}`;
    return [`${onOneLine(title, 150)}: ${countOf(steps.length, 'step')}${parts}.`];
  });
  const missing = groups.filter((one) => !summary.includes(one)).slice(0, 3);
  if (missing.length === 0) return shorten(summary, 1000);
  const room = 1000 - missing.join(' ').length - 1;
  const own = shorten(summary, Math.max(100, room));
  return [/[.!?…]$/.test(own) ? own : `${own}.`, ...missing].join(' ').slice(0, 1000);
}

export const submitPlan = defineTool({
  name: 'submit_plan',
  description: 'Submits the draft for approval.',
  input: SubmissionInput,
  shown: SubmitPlan,
  produces: ['pattern', 'outline'],
  async execute(input, toolContext) {
    const { state, tools } = toolContext;
    const { outline } = state;
    if (outline === null || countSteps(outline) === 0)
      return { result: fail('The draft has no steps. Write them with add_steps.') };
    const { budget_usd: limit, order } = input.preferences ?? {};
    const setsTerms = typeof limit === 'number' || typeof order === 'string';
    if (state.change !== null && state.produced.includes('outline') && !setsTerms)
      return {
        result: fail(
          'Nothing of the draft has changed, so the person would see the same plan again. Edit it as they asked, or ask them with elicit_context.',
        ),
      };
    const title = (input.title?.trim() || outline.title).slice(0, 300);
    const preferences = WrittenPreferences.safeParse(
      input.preferences == null
        ? null
        : { order: null, in_working_hours: null, ...input.preferences },
    );
    if (!preferences.success)
      return { result: fail('preferences: choose one of the listed values.') };
    const wanted = usePattern(toolContext);
    if ('refused' in wanted) return { result: fail(wanted.refused) };
    const risks = input.risks?.map((risk) =>
      typeof risk === 'string'
        ? { text: risk, sign: null }
        : { text: risk.text, sign: risk.sign ?? null },
    );
    const written: PlanOutline = {
      ...outline,
      title,
      summary: withGroups(input.summary?.trim() || outline.summary, outline),
      pattern: state.pattern === null ? patternOf(readFeatures(outline)) : wanted.spec,
      nodes: outline.nodes.map((node) =>
        node.structure === 'goal' && node.title === outline.title ? { ...node, title } : node,
      ),
      ...(risks === undefined ? {} : { risks: readRisks(risks) }),
      ...readPreferences(preferences.data),
    };
    const draft = await parseInSlices(PlanDraft, draftPlan(written, null, null));
    if (!draft.success)
      return {
        result: fail(
          ...draft.error.issues
            .slice(0, maxProblems)
            .map(({ path, message }) => `${path.join('.')}: ${message}.`),
        ),
      };
    const problems = [
      ...(await checkDraft(draft.data, tools)),
      ...findPartialBases(draft.data.steps, state.reads),
    ];
    if (problems.length === 0)
      problems.push(...(await checkPosts(draft.data.steps, toolContext)).values());
    if (problems.length > 0) return { result: fail(...problems.slice(0, maxProblems)) };
    const doubts =
      input.checked === true
        ? []
        : [
            ...(await findDoubts(draft.data.steps, tools.manifest())),
            ...findGuesses(draft.data.steps, toolContext),
            ...(await findOverspent(draft.data, toolContext)),
          ];
    if (doubts.length > 0)
      return {
        result: fail(...doubts, 'Change that; or, if it is meant so, submit with "checked": true.'),
      };
    const open = findOpenGaps(outline, toolContext);
    if (open.length > 0) return putQuestions(open.map(askAboutGap), state.stage, toolContext);
    const confidence = input.confidence ?? null;
    return {
      result: succeed(null, 'The plan is checked next, and then put before the person.'),
      changes: {
        pattern: written.pattern,
        outline: withEvidence(
          { ...written, nodes: await pinPosts(written.nodes, toolContext) },
          state,
          toolContext,
        ),
      },
      self: confidence === null || confidence < 0 || confidence > 1 ? null : confidence,
      heuristics: 1,
      ends: state.stage === 'COLLECT_CONTEXT' ? 'sufficient_context' : 'drafted',
    };
  },
});

const questionsAtOnce = 3;

/** "all" is literal until a person says otherwise. */
function findOpenGaps(
  { gaps = [] }: PlanOutline,
  { ownMessages, request }: ToolContext,
): OutlineGap[] {
  const words = new Set([...ownMessages, request].map((text) => text.trim()));
  return gaps
    .filter(({ choice }) => choice !== null && !words.has(choice))
    .slice(0, questionsAtOnce);
}

function askAboutGap({ node, text, choice }: OutlineGap): Question {
  return {
    id: `incomplete ${node}`,
    question: shorten(`${text} Should I plan only these?`, 500),
    why: null,
    default: null,
    essential: true,
    options: [choice ?? '', "I'll narrow it down", 'Cancel'],
    recommended: null,
  };
}

/** Planning and model steps against the request's limit. */
async function findOverspent(
  { steps, series = [], context }: PlanDraft,
  { tools, state }: ToolContext,
): Promise<string[]> {
  const limit = typeof context === 'object' ? context.budget_usd : undefined;
  if (limit === undefined) return [];
  const asking = new Set(
    tools
      .manifest()
      .flatMap(({ tool, operation, usesModel }) =>
        usesModel === true ? [`${tool}\n${operation}`] : [],
      ),
  );
  const count = [...steps, ...series.flatMap((one) => one.steps)].filter(
    ({ tool, operation, args }) => asking.has(`${tool}\n${operation}`) || hasRuntime(args ?? {}),
  ).length;
  const planning = state.earlier_usd + state.cost_usd;
  const each = count === 0 ? 0 : ((await tools.estimateStep?.()) ?? 0);
  if (planning + count * each <= limit) return [];
  return [
    `Planning has cost ${dollars(planning)}, and ${countOf(count, 'step')} that ask a model may cost ${dollars(count * each)}: more than the limit of ${dollars(limit)}. Let fewer steps ask a model, or say so in "risks".`,
  ];
}

/** Identical changes, reported once. */
async function findDoubts(steps: StepDraft[], manifest: OperationSpec[]): Promise<string[]> {
  const changing = new Set(
    manifest
      .filter(({ effect, human }) => effect !== 'read' && human !== true)
      .map(({ tool, operation }) => `${tool}\n${operation}`),
  );
  const calls = new Map<string, string[]>();
  for (const { id = '', tool, operation, args = {}, when } of steps) {
    if (isSliceOver()) await nextTurn();
    if (!changing.has(`${tool}\n${operation}`)) continue;
    const call = hash('sha256', canonicalize([tool, operation, args, when ?? null]) ?? '');
    const same = calls.get(call);
    if (same === undefined) calls.set(call, [id]);
    else same.push(id);
  }
  return [...calls.values()]
    .filter((ids) => ids.length > 1)
    .slice(0, maxDoubts)
    .map((ids) => `Steps ${listOf(ids.slice(0, 5))} make the same call.`);
}

/** Undeclared outputs of callable reads: a wrong guess would fail after approval. */
function findGuesses(
  steps: StepDraft[],
  { tools, state }: Pick<ToolContext, 'tools' | 'state'>,
): string[] {
  const read = new Set(state.reads.map(({ operation }) => operation));
  const readable = new Set(tools.readable().map(({ name }) => name));
  const unknown = new Map(
    tools
      .manifest()
      .filter(({ name, output }) => output === undefined && readable.has(name) && !read.has(name))
      .map(({ tool, operation, name }) => [`${tool}\n${operation}`, name]),
  );
  const names = new Map(
    steps.flatMap(({ id = '', tool, operation, args = {} }) => {
      const name = unknown.get(`${tool}\n${operation}`);
      return name === undefined || isOpen(args) ? [] : [[id, name] as const];
    }),
  );
  if (names.size === 0) return [];
  const taken = steps.flatMap(({ args = {}, when }) => [
    ...referencesOf(args).map(({ $from, path }) => ({ step: $from, path })),
    ...conditionsOf(when),
  ]);
  return [...names].slice(0, maxDoubts).flatMap(([id, name]) => {
    const guess = taken.find(({ step, path }) => step === id && !['', '/text'].includes(path));
    return guess === undefined
      ? []
      : [
          `Nothing says that ${name} returns ${guess.path}: call it with "read" to see what it does.`,
        ];
  });
}
