// resolve_dependencies: everything that says what waits for what becomes one set of edges without circles. Needs no
// model; a model may add or take away edges. What a person's words leave open is asked, or noted where they want no questions.
import { z } from 'zod';
import { DependencyType } from '#contracts/plan.ts';
import type { PlanOutline } from '#contracts/planning/outline.ts';
import type { RoadmapEdge } from '#contracts/planning/roadmap.ts';
import type { Adaptation, Violation } from '#contracts/planning/trace.ts';
import type { JsonObject } from '#contracts/text.ts';
import { countOf, listOf } from '#contracts/words.ts';
import { fail, succeed } from '../agent/agent-tool.ts';
import { questionsAllowed } from '../policy/effects.ts';
import { withoutAddedCheckpoints } from '../roadmap/added-checkpoints.ts';
import { type CollectedEdges, collectEdges } from '../roadmap/collect-edges.ts';
import { describeCycle } from '../roadmap/name-nodes.ts';
import { type OpenTiming, type ResolvedOrder, resolveOrder } from '../roadmap/resolve-order.ts';
import type { PlanningTool, StateChanges, ToolContext, ToolOutcome } from './planning-tool.ts';

const GivenEdge = z.strictObject({
  from: z.string().describe('The node that comes first: its id or title.'),
  to: z.string().describe('The node that waits.'),
  type: DependencyType.describe(
    'FS: starts after the finish; SS: after the start; FF: finishes after the finish; SF: finishes after the start.',
  ),
  lag_minutes: z.int().min(-525_600).max(525_600).describe('Time in between; negative: a lead.'),
  remove: z.boolean().describe('true: take this edge away.'),
});

const Input = z
  .strictObject({
    edges: z
      .array(GivenEdge)
      .max(20_000)
      .nullish()
      .describe('Edges to add or take away beside what the outline says; null: none.'),
  })
  // Strict schemas want every key named, though a call without arguments is one too.
  .meta({ required: ['edges'] });
type Input = z.infer<typeof Input>;

const adaptationsTold = 100;
const edgesTold = 200;

export const resolveDependencies: PlanningTool<Input> = {
  name: 'resolve_dependencies',
  description:
    'Works out which nodes wait for which, from what the outline says, what steps take from each other and the pattern. Give edges only to add or take away some.',
  input: Input,
  stages: ['DRAFT_ROADMAP'],
  prerequisites: ['valid_outline'],
  produces: ['dependencies'],
  automatic: {},
  revision: 1,
  run: async ({ edges = null }, toolContext) => {
    if (toolContext.state.outline === null) return { result: fail('There is no outline yet.') };
    const resolved = resolveOrder(withoutAddedCheckpoints(toolContext.state.outline), {
      now: toolContext.now,
      timezone: toolContext.state.timezone,
      edges,
      // A model that gives edges has read the person's words itself.
      feedback: edges === null ? readFeedback(toolContext) : null,
      answers: readAnswers(toolContext),
    });
    if (resolved.refused.length > 0) return { result: fail(...resolved.refused.slice(0, 20)) };
    return conclude(resolved, toolContext);
  },
};

/** What this tool offered with its last questions, so that the answers can be told apart. */
const ownOffers = ['timing', 'order'];

/** What the person wants changed about the order: said now, or in answer to a question about it. */
function readFeedback({ state, request }: ToolContext): string | null {
  if (state.change?.gate === 'roadmap') return state.change.feedback;
  const asked = state.offered.find(({ kind }) => kind === 'order');
  if (asked === undefined) return null;
  return [request, asked.kept]
    .filter((words) => typeof words === 'string' && words !== '')
    .join('; ');
}

/** What the person said to the questions about timing that this tool asked last, by node. */
function readAnswers({ state, request }: ToolContext): Map<string, string> {
  const asked = state.offered.filter(({ kind }) => kind === 'timing');
  const nodes = asked.flatMap(({ node }) => (typeof node === 'string' ? [node] : []));
  const lines = request
    .split(/\n|;/)
    .map((line) => line.trim().replace(/^\d+[.)]\s+/, ''))
    .filter((line) => line !== '');
  const answers = nodes.length === 1 ? [request.trim()] : lines;
  if (answers.length !== nodes.length) return new Map();
  return new Map(nodes.map((node, at) => [node, answers[at] ?? '']));
}

function conclude(resolved: ResolvedOrder, toolContext: ToolContext): ToolOutcome {
  const { state } = toolContext;
  const collected = collectEdges(resolved.outline);
  const base: StateChanges = {
    ...(resolved.outline === state.outline ? {} : { outline: resolved.outline }),
    ...leaveFeedback(resolved),
    ...(state.offered.some(isOwnOffer)
      ? { offered: state.offered.filter((offer) => !isOwnOffer(offer)) }
      : {}),
  };
  const told = tellAdaptations(resolved, collected);
  const broken = findBroken(collected);
  if (broken.length > 0)
    return {
      // What went round in a circle is not kept: the next try begins with what was there.
      result: fail(...broken.map(({ text }) => text)),
      violations: broken,
      adaptations: told,
    };
  const questions = [
    ...resolved.open.map(({ text }) => text),
    ...(resolved.feedback?.unclear ?? []),
  ];
  const allowed = questionsAllowed(toolContext.policy, state.questions_asked);
  if (questions.length > 0 && allowed > 0)
    return askAbout(resolved, questions.slice(0, allowed), base, told, state.questions_asked);
  const outline = assumeAway(resolved.outline, questions, resolved.open);
  return {
    result: succeed(
      { edges: collected.edges.slice(0, edgesTold), total: collected.edges.length },
      summarise(collected.edges),
      ...questions.map((text) => `Not held: ${text}`),
    ),
    changes: { ...base, ...(outline === resolved.outline ? {} : { outline }) },
    violations: [...tellContradicted(collected), ...questions.map(tellUnread)],
    adaptations: told,
    heuristics: questions.length === 0 ? 1 : 0.5,
  };
}

function isOwnOffer({ kind }: JsonObject): boolean {
  return typeof kind === 'string' && ownOffers.includes(kind);
}

/** Words that have been followed are gone, so that a second try does not follow them twice; wishes for a way are left. */
function leaveFeedback({ feedback }: ResolvedOrder): StateChanges {
  if (feedback === null) return {};
  const left = feedback.wishes.join('; ');
  return { change: left === '' ? null : { feedback: left, gate: 'roadmap' } };
}

function findBroken({ cycle, impossible, index }: CollectedEdges): Violation[] {
  if (cycle !== null) {
    const node = cycle[0]?.to ?? null;
    return [{ code: 'cycle', node, text: describeCycle(index, cycle), blocking: true }];
  }
  return impossible.slice(0, 10).map(({ from, to }) => ({
    code: 'unknown_node',
    node: to,
    text: `“${to}” waits for “${from.slice(0, 200)}”, which is no part of the plan.`,
    blocking: true,
  }));
}

function askAbout(
  { open, feedback }: ResolvedOrder,
  questions: string[],
  base: StateChanges,
  adaptations: Adaptation[],
  asked: number,
): ToolOutcome {
  const about = open.slice(0, questions.length).map(({ node, words, choices }) => ({
    kind: 'timing',
    node,
    words,
    choices: choices.slice(0, 20),
  }));
  const unread = questions.length > about.length;
  const aboutOrder = unread ? [{ kind: 'order', kept: feedback?.wishes.join('; ') ?? '' }] : [];
  return {
    result: { ...fail(...questions), data: { questions } },
    changes: {
      ...base,
      offered: [...about, ...aboutOrder].slice(0, 20),
      questions_asked: asked + questions.length,
      pause: { kind: 'questions', resume: 'DRAFT_ROADMAP', gate: null, digest: null },
      result: { kind: 'question', text: questions.join('\n'), questions: questions.slice(0, 10) },
      reason: 'the order leaves something open',
    },
    adaptations,
    violations: questions.map(tellUnread),
    ends: 'needs_clarification',
  };
}

/** Where no question may be asked, what could not be read is shown as an assumption. */
function assumeAway(outline: PlanOutline, questions: string[], open: OpenTiming[]): PlanOutline {
  if (questions.length === 0) return outline;
  const unread = new Set(open.map(({ node }) => node));
  const nodes = outline.nodes.map((node) => {
    if (!unread.has(node.id)) return node;
    const { timing: _, ...rest } = node;
    return rest;
  });
  const noted = open.map(({ node, words }) => {
    const title = outline.nodes.find(({ id }) => id === node)?.title ?? node;
    return `“${title.slice(0, 200)}” does not wait: “${words}” could not be read.`;
  });
  const assumptions = [...new Set([...outline.assumptions, ...noted])].slice(0, 50);
  return { ...outline, nodes, assumptions };
}

function tellUnread(text: string): Violation {
  return { code: 'unclear_order', node: null, text: text.slice(0, 1000), blocking: false };
}

function tellContradicted({ contradicted, index }: CollectedEdges): Violation[] {
  const [first] = contradicted;
  if (first === undefined) return [];
  const more = contradicted.length > 1 ? ` (and ${contradicted.length - 1} more)` : '';
  return [
    {
      code: 'phase_order',
      node: first.to,
      text: `What was said lets “${index.nodes[index.places.get(first.to) ?? -1]?.title.slice(0, 200) ?? first.to}” come before what is listed in front of it${more}.`,
      blocking: false,
    },
  ];
}

const derived: Partial<Record<RoadmapEdge['why'], string>> = {
  data: 'it takes what the other gives',
  pattern: 'the pattern has them in this order',
};

function tellAdaptations({ adaptations }: ResolvedOrder, { edges }: CollectedEdges): Adaptation[] {
  const added = edges.flatMap(({ from, to, why }): Adaptation[] => {
    const reason = derived[why];
    if (reason === undefined) return [];
    const node = `${from} → ${to}`.slice(0, 500);
    return [{ what: 'linked', node, introduced_by: 'system', why: reason }];
  });
  const all = [...adaptations, ...added];
  if (all.length <= adaptationsTold) return all;
  const more = all.length - adaptationsTold;
  return [
    ...all.slice(0, adaptationsTold),
    {
      what: 'linked',
      node: '…',
      introduced_by: 'system',
      why: `and ${countOf(more, 'more change')}`,
    },
  ];
}

function summarise(edges: RoadmapEdge[]): string {
  if (edges.length === 0) return 'Nothing waits for anything else.';
  const words = { stated: 'said', data: 'by data', pattern: 'by the pattern', strategy: 'chosen' };
  const counts = Map.groupBy(edges, ({ why }) => why);
  const parts = [...counts].map(([why, list]) => `${list.length} ${words[why]}`);
  return `${countOf(edges.length, 'edge')}: ${listOf(parts)}.`;
}
