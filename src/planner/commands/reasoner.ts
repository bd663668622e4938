// The reasoner without a model: deterministic, no network. It reads the commands of docs/commands.md, and fills each stage by
// calling the same tools that a model calls.
import type { Clock } from '#domain/clock.ts';
import { parseExactly } from '#domain/exact-json.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { offlinePlanner } from '#domain/plan/planner-words.ts';
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { PlanningRequest } from '#domain/planning/run.ts';
import type { StageEvent } from '#domain/planning/stages.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';
import { AnyJson, JsonObject, makeStorable } from '#domain/text.ts';
import { shorten } from '#domain/words.ts';
import { draftPlan } from '../draft/draft-plan.ts';
import { withoutAddedCheckpoints } from '../order/added-checkpoints.ts';
import { outlineOfDraft } from '../outline/outline-of-draft.ts';
import type { Reasoner, StageTask } from '../reasoner.ts';
import { type Changes, type ReadChanges, readChanges } from './changes.ts';
import type { Question } from './command.ts';
import { readComments } from './comments.ts';
import { readConversation } from './conversation.ts';
import { type Decision, decide, type Work } from './decide.ts';
import { describeDraft, draftSteps, groupSteps, needsOutline, writeOutline } from './draft.ts';
import { findTouched } from './order.ts';
import { parseRequest } from './parse.ts';
import { findRefused, namePattern } from './pattern.ts';
import { type Addition, rewriteOutline } from './rewrite.ts';

/** Everything the tools take is storable JSON; what is not there is not sent. */
function toArgs(value: object): JsonObject {
  return JsonObject.parse(makeStorable(AnyJson.parse(parseExactly(JSON.stringify(value)))));
}

export function createCommandReasoner({ clock }: { clock: Clock }): Reasoner {
  /** What was made of a request: asked for by one stage, used by the next. Worked out again after a restart. */
  const known = new WeakMap<PlanningRequest, Promise<Decision>>();

  function decideOnce(task: StageTask): Promise<Decision> {
    const before = known.get(task.request);
    if (before !== undefined) return before;
    const made = decideRequest(task, clock);
    known.set(task.request, made);
    return made;
  }

  return {
    name: offlinePlanner,
    model: null,
    async fill(task) {
      const { stage, state, request } = task;
      if (stage === 'SEEK_APPROVAL') return route(task);
      const changing =
        state.change ??
        (request.revision === null ? null : { feedback: request.revision.feedback.at(-1) ?? '' });
      if (changing !== null && stage !== 'COLLECT_CONTEXT')
        return fillChange(task, clock, feedbackOf(task, changing.feedback));
      const decision = await decideOnce(task);
      task.stageTools.explain(decision.reason);
      if (decision.kind !== 'plan' && decision.kind !== 'rows') return conclude(task, decision);
      if (stage === 'COLLECT_CONTEXT') return collect(task, decision);
      if (stage !== 'DRAFT_OUTLINE')
        return stop(task, 'internal', `There is nothing to fill in ${stage}.`);
      if (decision.kind === 'rows')
        return propose(task, 'for_each', decision.plan.group, {
          ...decision.plan.about,
          confidence: 1,
        });
      const { timezone } = request;
      if (needsOutline(decision.request)) {
        const outline = writeOutline(decision, new Date(state.now), timezone);
        return finish(task, 'generate_nodes', toArgs(outline));
      }
      const about = describeDraft(decision, timezone);
      if (isSliceOver()) await nextTurn();
      const group = groupSteps(decision.steps, timezone);
      if (group !== null) return propose(task, 'for_each', group, about);
      return propose(task, 'add_steps', { steps: draftSteps(decision.steps, timezone) }, about);
    },
  };
}

/** Which part of the plan a change concerns; what has no reading is asked about when the outline is drafted anew. */
function route(task: StageTask): Promise<StageEvent> {
  const opened = openOutline(task);
  const feedback = task.state.change?.feedback ?? '';
  const read = opened === null ? null : readFeedback(task, feedback, opened.draft);
  const stage = read?.kind === 'changes' ? read.changes.gate : 'outline';
  return finish(task, 'route_change', toArgs({ stage, reason: 'by what would change' }));
}

/** What a change is now: the answer to a question about it, else what was said first. */
function feedbackOf({ request: { text, answers, history } }: StageTask, feedback: string): string {
  const last = history.at(-1);
  const open =
    last?.author === 'bot' &&
    (last.questions ?? []).some(({ id }) => id.startsWith('command change') || id === 'change');
  return (
    answers?.find(({ question_id }) => question_id === 'change')?.text ?? (open ? text : feedback)
  );
}

async function decideRequest(task: StageTask, clock: Clock): Promise<Decision> {
  const { request, tools, signal, state } = task;
  const trace: Work['trace'] = [];
  const work: Work = { request, tools, clock, signal, trace };
  const asked = findRefused(request, state.rfc);
  const setting = {
    manifest: tools.manifest(),
    now: request.now,
    timezone: request.timezone,
    answers: new Map<string, string>(),
    paths: [],
  };
  const isCommand = (text: string) => {
    const parsed = parseRequest(text, setting);
    return parsed.kind === 'request' && parsed.request.clauses.length > 0;
  };
  const settled = state.questions_asked > 0 && (request.answers ?? []).length === 0;
  const conversation = readConversation(asked ?? request, isCommand, settled && asked === null);
  if (conversation.withdrawn)
    return {
      kind: 'answer',
      text: 'Dropped. Nothing has changed.',
      reason: 'the person took the request back',
    };
  const decision = await decide(work, conversation);
  for (const entry of trace) task.stageTools.note({ ...entry, stage: task.stage });
  return decision;
}

type Planned = Extract<Decision, { kind: 'plan' | 'rows' }>;

/** The pattern of the work: the one that was named, or the nearest. */
async function collect(
  { stageTools, request, state, signal }: StageTask,
  decision: Planned,
): Promise<StageEvent> {
  const named = namePattern(decision.request, request.text, state.rfc);
  const { ends, result } = await stageTools.call('select_pattern', toArgs(named), signal);
  if (result.ok) return ends ?? 'sufficient_context';
  // A pattern that cannot be used is no reason not to plan.
  const plain = namePattern({ ...decision.request, pattern: null }, request.text, state.rfc);
  const again = await stageTools.call('select_pattern', toArgs(plain), signal);
  return again.ends ?? 'sufficient_context';
}

/** The outline that is being changed, and all its steps as one list that changes can speak of. */
function openOutline({
  state,
  current,
  request,
}: StageTask): { outline: PlanOutline; draft: PlanDraft } | null {
  const previous = current ?? request.revision?.previous ?? null;
  const outline = state.outline ?? (previous === null ? null : outlineOfDraft(previous, null));
  if (outline === null) return null;
  const { nodes, ...rest } = withoutAddedCheckpoints(outline);
  const once = nodes.map((node) => ({ ...node, recurs: null, rhythm: 'one_off' as const }));
  return {
    outline,
    draft: {
      ...draftPlan({ ...rest, nodes: once }, null, null),
      ...(current?.series === undefined ? {} : { series: current.series }),
    },
  };
}

/** What the feedback changes; where it is comments on single steps, each in its own step. */
function readFeedback({ request }: StageTask, feedback: string, draft: PlanDraft): ReadChanges {
  const { comments = [], feedback: said = [] } = request.revision ?? {};
  if (comments.length === 0 || feedback !== said.at(-1))
    return readChanges(feedback, draft, request);
  return readComments(comments, draft, request);
}

async function fillChange(task: StageTask, clock: Clock, feedback: string): Promise<StageEvent> {
  const { stage, request, stageTools, signal } = task;
  const opened = openOutline(task);
  if (opened === null) return stop(task, 'internal', 'There is nothing to change.');
  const { outline, draft } = opened;
  const read = readFeedback(task, feedback, draft);
  if (read.kind === 'question')
    return ask(task, [read.question], 'asked, because the change has no reading');
  stageTools.explain(`a new version, because of the feedback "${shorten(feedback, 200)}"`);
  const { changes } = read;
  switch (stage) {
    case 'DRAFT_OUTLINE': {
      const addition = await buildAddition(task, clock, changes, draft);
      if (addition !== null && 'kind' in addition) return conclude(task, addition);
      const manifest = task.tools.manifest();
      return finish(
        task,
        'generate_nodes',
        toArgs(rewriteOutline(outline, changes, addition, manifest, request.timezone)),
      );
    }
    case 'DRAFT_ROADMAP': {
      const owners = new Map(
        outline.nodes.flatMap(({ id, steps }) => steps.map((step) => [step.id ?? '', id] as const)),
      );
      const edges = changes.edges.map((edge) => ({
        ...edge,
        from: owners.get(edge.from) ?? edge.from,
        to: owners.get(edge.to) ?? edge.to,
      }));
      const resolved = await stageTools.call('resolve_dependencies', toArgs({ edges }), signal);
      if (resolved.ends !== undefined && resolved.ends !== 'drafted') return resolved.ends;
      if (!resolved.result.ok)
        return stop(
          task,
          'invalid_order',
          `${resolved.result.explanations.join(' ')} Try rephrasing.`,
        );
      return finish(
        task,
        'build_roadmap',
        toArgs({ prefer: null, reason: null, confidence: null }),
      );
    }
    case 'DRAFT_SCHEDULE':
      return finish(task, 'generate_schedule', toArgs({ changes: moveNodes(outline, changes) }));
    default:
      return stop(task, 'internal', `There is nothing to fill in ${stage}.`);
  }
}

/** Times belong to nodes; a deadline that is meant for none in particular is that of all that have one. */
function moveNodes({ nodes }: PlanOutline, { move }: Changes) {
  if (move === null) return [];
  const { steps, not_before = null, deadline } = move;
  const dated = nodes.filter((node) => node.deadline !== null);
  const whole = dated.length > 0 ? dated : nodes.filter(({ parent }) => parent === null);
  const named = nodes.filter((node) => node.steps.some(({ id = '' }) => steps.includes(id)));
  return (steps.length > 0 ? named : whole).map(({ id }) => ({
    node: id,
    not_before,
    exact: null,
    deadline: deadline ?? null,
    duration_minutes: null,
    drop: deadline === null ? ['deadline' as const] : null,
  }));
}

async function buildAddition(
  { request, tools, signal }: StageTask,
  clock: Clock,
  { steps, addition }: Changes,
  draft: PlanDraft,
): Promise<Addition | Exclude<Decision, Planned> | null> {
  if (addition === null) return null;
  const { text, place } = addition;
  const paths = steps
    .flatMap(({ tool, operation, args = {} }) => {
      const spec = tools.manifest().find((one) => one.tool === tool && one.operation === operation);
      return spec === undefined ? [] : findTouched({ spec, args }).writes.slice(-1);
    })
    .slice(-1);
  const id = Math.max(0, ...draft.steps.map((step) => Number(step.id) || 0)) + 1;
  const answers = new Map<string, string>();
  const decision = await decide(
    { request, tools: { ...tools, readable: () => [] }, clock, signal, trace: [] },
    { text, answers, paths },
    id,
  );
  const isPlain = decision.kind === 'plan' && !needsOutline(decision.request);
  if (isPlain) return { place, steps: decision.steps };
  if (decision.kind === 'plan' || decision.kind === 'rows') {
    const text =
      'Rows of a table, phases, deadlines, and what takes some time or comes again, need a request of their own. What should change?';
    return { kind: 'questions', questions: [{ id: 'change', text }], reason: 'asked: no addition' };
  }
  if (decision.kind !== 'questions') return decision;
  // The words are to be said again as a change, not by themselves.
  const questions = decision.questions.map((one) => ({ ...one, id: 'change' }));
  return { ...decision, questions };
}

/** What is no plan: an answer, a refusal, a question. */
async function conclude(
  task: StageTask,
  decision: Exclude<Decision, Planned>,
): Promise<StageEvent> {
  const { stageTools, state } = task;
  switch (decision.kind) {
    case 'answer':
      return answer(task, decision.text, decision.reason);
    case 'cannot':
      stageTools.say(
        { kind: 'cannot', text: decision.text, wanted: decision.wanted },
        decision.reason,
      );
      return 'answered';
    case 'failed':
      return stop(task, decision.code, decision.text, decision.reason);
    case 'questions': {
      const { pause } = state;
      if (pause?.kind !== 'gate' || pause.gate === null)
        return ask(task, decision.questions, decision.reason);
      // Beside something that waits for approval a question back would hide it.
      return answer(task, "I can't tell what is meant.", decision.reason);
    }
    default:
      return decision satisfies never;
  }
}

async function answer(task: StageTask, text: string, reason: string): Promise<StageEvent> {
  const { ends } = await task.stageTools.call('answer', toArgs({ text }), task.signal);
  task.stageTools.explain(reason);
  return ends ?? stop(task, 'internal', 'The answer could not be given. Ask again.');
}

/** Calls the tool that ends the stage; what it finds wrong with the draft is a matter for the person. */
async function finish(task: StageTask, tool: string, args: JsonObject): Promise<StageEvent> {
  const { result, ends } = await task.stageTools.call(tool, args, task.signal);
  if (ends !== undefined) return ends;
  return result.ok
    ? 'drafted'
    : stop(task, 'invalid_draft', `${result.explanations.join(' ')} Try rephrasing.`);
}

/** A whole plan at once: its steps by the tool that adds them, and what is said of it. */
async function propose(
  task: StageTask,
  tool: string,
  steps: object,
  about: object,
): Promise<StageEvent> {
  if (isSliceOver()) await nextTurn();
  const args = toArgs(steps);
  if (isSliceOver()) await nextTurn();
  const { result } = await task.stageTools.call(tool, args, task.signal);
  return result.ok
    ? finish(task, 'submit_plan', toArgs(about))
    : stop(task, 'invalid_draft', `${result.explanations.join(' ')} Try rephrasing.`);
}

/** At least one question, at most as many as the person wants at a time. */
async function ask(task: StageTask, all: Question[], reason: string): Promise<StageEvent> {
  const questions = all.slice(0, Math.min(10, Math.max(1, task.request.policy.probing_depth)));
  const args = toArgs({
    questions: questions.map(({ id, text, options }) => ({
      id,
      question: shorten(text, 500),
      why: null,
      default: null,
      essential: true,
      options: options ?? null,
    })),
  });
  const { ends } = await task.stageTools.call('elicit_context', args, task.signal);
  task.stageTools.explain(reason);
  if (ends !== undefined) return ends;
  // Asking was not wanted, and there is nothing sensible to assume.
  const why =
    task.state.change == null
      ? "I can't tell what is meant, and was asked to ask nothing:"
      : "I couldn't read what should change.";
  const text = `${why} ${questions.map((one) => one.text).join(' ')}`;
  task.stageTools.say({ kind: 'answer', text }, reason);
  return 'answered';
}

function stop({ stageTools }: StageTask, code: string, text: string, reason = text): StageEvent {
  stageTools.say({ kind: 'aborted', reason: code, text }, reason);
  return 'fatal_error';
}
