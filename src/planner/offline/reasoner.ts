// The reasoner without a model: deterministic, no network. It reads the commands of docs/commands.md, and fills each stage by
// calling the same tools that a model calls.
import { parseExactly } from '#domain/exact-json.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { offlinePlanner } from '#domain/plan/planner-words.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { writeTemplates } from '#domain/plan/templates.ts';
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { PlanningRequest } from '#domain/planning/run.ts';
import type { StageEvent } from '#domain/planning/stages.ts';
import { AnyJson, JsonObject, makeStorable } from '#domain/text.ts';
import { operationName } from '#domain/tool.ts';
import { shorten } from '#domain/words.ts';
import type { Question } from '../commands/answers.ts';
import { type Changes, type ReadChanges, readChanges } from '../commands/changes.ts';
import { draftPlan } from '../draft/draft-plan.ts';
import { withoutAddedCheckpoints } from '../order/added-checkpoints.ts';
import { outlineOfDraft } from '../outline/outline-of-draft.ts';
import type { Reasoner, StageTask } from '../reasoner.ts';
import { filesOf } from './build.ts';
import { readComments } from './comments.ts';
import { readConversation, unreadId } from './conversation.ts';
import { type Described, describeOutcome, describeStep, describeTitle } from './describe.ts';
import { type Interpretation, interpret, isWhole, type Work } from './interpret.ts';
import { writeEdges, writeOutline, writeStep } from './outline.ts';
import { findRefused, namePattern } from './pattern.ts';

/** Everything the tools take is storable JSON; what is not there is not sent. */
const toArgs = (value: object): JsonObject =>
  JsonObject.parse(makeStorable(AnyJson.parse(parseExactly(JSON.stringify(value)))));

export function createCommandReasoner(): Reasoner {
  /** Decisions by request: asked for by one stage, used by the next. Worked out again after a restart. */
  const known = new WeakMap<PlanningRequest, Promise<Interpretation>>();

  function decideOnce(task: StageTask): Promise<Interpretation> {
    const made = known.get(task.request) ?? decideRequest(task);
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
        return fillChange(task, feedbackOf(task, changing.feedback));
      const decision = await decideOnce(task);
      task.stageTools.explain(decision.reason);
      if (decision.kind !== 'plan' && decision.kind !== 'group') return conclude(task, decision);
      if (stage === 'COLLECT_CONTEXT') return collect(task, decision);
      if (stage !== 'DRAFT_OUTLINE')
        return stop(task, 'internal', `There is nothing to fill in ${stage}.`);
      if (decision.kind === 'group') {
        const { group, about } = decision.group;
        const { result } = await task.stageTools.call('for_each', toArgs(group), task.signal);
        if (!result.ok) return stop(task, 'invalid_draft', result.explanations.join(' '));
        return finish(task, 'submit_plan', toArgs({ ...about, confidence: 1 }));
      }
      const outline = writeOutline(
        decision.request,
        decision.steps,
        new Date(state.now),
        request.timezone,
      );
      return finish(task, 'generate_nodes', toArgs(outline));
    },
  };
}

/** Which part of the plan a change concerns; what has no reading is asked about when the outline is drafted again. */
function route(task: StageTask): Promise<StageEvent> {
  const opened = openOutline(task);
  const read =
    opened === null ? null : readFeedback(task, task.state.change?.feedback ?? '', opened.draft);
  const stage = read?.kind === 'changes' ? read.changes.gate : 'outline';
  return finish(task, 'route_change', toArgs({ stage, reason: 'by what would change' }));
}

/** The wording of a change: the answer to a question about it, else what was said first. */
function feedbackOf({ request: { text, answers, history } }: StageTask, feedback: string): string {
  const last = history.at(-1);
  const isOpen = last?.author === 'bot' && (last.questions ?? []).some(({ id }) => id === 'change');
  return (
    answers?.find(({ question_id }) => question_id === 'change')?.text ?? (isOpen ? text : feedback)
  );
}

async function decideRequest({
  request,
  tools,
  signal,
  state,
}: StageTask): Promise<Interpretation> {
  const asked = findRefused(request, state.rfc);
  const isSettled =
    state.questions_asked > 0 && (request.answers ?? []).length === 0 && asked === null;
  const { text, answers, withdrawn } = readConversation(
    asked ?? request,
    (one) => isWhole(one, { request, tools }),
    isSettled,
  );
  if (withdrawn)
    return {
      kind: 'answer',
      text: 'Dropped. Nothing has changed.',
      reason: 'the person took the request back',
    };
  return interpret(text, { request, tools, signal, answers });
}

type Planned = Extract<Interpretation, { kind: 'plan' | 'group' }>;

/** The pattern of the work: the one that was named, or the nearest. */
async function collect(
  { stageTools, request, state, signal }: StageTask,
  decision: Planned,
): Promise<StageEvent> {
  for (const pattern of [decision.request.pattern, null]) {
    const named = namePattern({ ...decision.request, pattern }, request.text, state.rfc);
    const { ends, result } = await stageTools.call('select_pattern', toArgs(named), signal);
    // A pattern that cannot be used is no reason not to plan.
    if (result.ok || pattern === null) return ends ?? 'sufficient_context';
  }
  return 'sufficient_context';
}

/** The outline that is being changed, and all its steps as one list that changes can speak of. */
function openOutline({
  state,
  current,
  request,
}: StageTask): { outline: PlanOutline; draft: PlanDraft } | null {
  const previous = current ?? request.revision?.previous ?? null;
  const given = state.outline ?? (previous === null ? null : outlineOfDraft(previous, null));
  if (given === null) return null;
  const outline = withoutAddedCheckpoints(given);
  const nodes = outline.nodes.map((node) => ({
    ...node,
    recurs: null,
    rhythm: 'one_off' as const,
  }));
  const draft = draftPlan({ ...outline, nodes }, null, null);
  return {
    outline,
    draft: { ...draft, ...(current?.series === undefined ? {} : { series: current.series }) },
  };
}

/** Reads feedback as changes; comments on single steps change only their own step. */
function readFeedback({ request }: StageTask, feedback: string, draft: PlanDraft): ReadChanges {
  const { comments = [], feedback: said = [] } = request.revision ?? {};
  return comments.length === 0 || feedback !== said.at(-1)
    ? readChanges(feedback, draft, request)
    : readComments(comments, draft, request);
}

async function fillChange(task: StageTask, feedback: string): Promise<StageEvent> {
  const { stage, stageTools, signal } = task;
  const opened = openOutline(task);
  if (opened === null) return stop(task, 'internal', 'There is nothing to change.');
  const read = readFeedback(task, feedback, opened.draft);
  if (read.kind === 'question')
    return ask(task, [read.question], 'asked, because the change could not be read');
  stageTools.explain(`a new version, because of the feedback "${shorten(feedback, 200)}"`);
  const { changes } = read;
  switch (stage) {
    case 'DRAFT_OUTLINE':
      return changeOutline(task, changes, opened);
    case 'DRAFT_ROADMAP': {
      const owners = new Map(
        opened.outline.nodes.flatMap(({ id, steps }) =>
          steps.map((step) => [step.id ?? '', id] as const),
        ),
      );
      const ownerOf = (id: string) => owners.get(id) ?? id;
      const edges = changes.edges.map((edge) => ({
        ...edge,
        from: ownerOf(edge.from),
        to: ownerOf(edge.to),
      }));
      const resolved = await stageTools.call('resolve_dependencies', toArgs({ edges }), signal);
      if (resolved.ends !== undefined && resolved.ends !== 'drafted') return resolved.ends;
      if (!resolved.result.ok)
        return stop(task, 'invalid_order', resolved.result.explanations.join(' '));
      return finish(
        task,
        'build_roadmap',
        toArgs({ prefer: null, reason: null, confidence: null }),
      );
    }
    case 'DRAFT_SCHEDULE':
      return finish(
        task,
        'generate_schedule',
        toArgs({ changes: moveNodes(opened.outline, changes) }),
      );
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
    ...{ node: id, not_before, exact: null, deadline: deadline ?? null, duration_minutes: null },
    drop: deadline === null ? ['deadline' as const] : null,
  }));
}

/** Makes the changes by the tools that edit a draft, and says anew what the plan is about. */
async function changeOutline(
  task: StageTask,
  changes: Changes,
  { outline, draft }: { outline: PlanOutline; draft: PlanDraft },
): Promise<StageEvent> {
  const { request, tools, stageTools, signal } = task;
  const { timezone } = request;
  const specs = new Map(tools.manifest().map((spec) => [spec.name, spec]));
  const describedOf = ({ tool, operation, args = {} }: StepDraft): Described[] => {
    const spec = specs.get(operationName(tool, operation));
    return spec === undefined ? [] : [{ spec, args }];
  };
  const before = new Map(draft.steps.map((step) => [step.id ?? '', step]));
  const left = new Set(changes.steps.map(({ id }) => id));
  const gone = [...before.keys()].filter((id) => !left.has(id));
  const edited = changes.steps.flatMap((step) => {
    const was = before.get(step.id ?? '')?.args ?? {};
    const args = Object.fromEntries(
      Object.entries(step.args ?? {}).filter(
        ([key, value]) => JSON.stringify(value) !== JSON.stringify(was[key]),
      ),
    );
    if (Object.keys(args).length === 0) return [];
    const [described] = describedOf(step);
    return [
      {
        id: step.id,
        args: writeTemplates(args),
        ...(described === undefined ? {} : { description: describeStep(described, timezone) }),
      },
    ];
  });
  const added = await readAddition(task, changes, draft);
  if ('kind' in added) return conclude(task, added);
  const recurring = outline.nodes.flatMap(({ recurs, steps }) =>
    recurs === null ? [] : steps.map(({ id = '' }) => ({ id, recurs })),
  );
  const [series] = changes.rule === null ? [] : recurring;
  const calls: [tool: string, args: object][] = [
    ...(gone.length > 0 ? [['remove_steps', { ids: gone }] as [string, object]] : []),
    ...(edited.length > 0 ? [['edit_steps', { steps: edited }] as [string, object]] : []),
    ...(series === undefined
      ? []
      : [
          [
            'set_schedule',
            {
              ids: recurring.map(({ id }) => id),
              repeat: toRepeat({ ...series.recurs, rrule: changes.rule ?? '' }),
            },
          ] as [string, object],
        ]),
    ...(added.steps.length > 0 ? [['add_steps', { steps: added.steps }] as [string, object]] : []),
  ];
  for (const [tool, args] of calls) {
    const { result } = await stageTools.call(tool, toArgs(args), signal);
    if (!result.ok) return stop(task, 'invalid_draft', result.explanations.join(' '));
  }
  const all = [...changes.steps.flatMap(describedOf), ...added.described];
  const isFlat = outline.nodes.every(
    ({ structure }) => structure === 'goal' || structure === 'task',
  );
  const about =
    gone.length + edited.length + added.steps.length === 0
      ? {}
      : { summary: describeOutcome(all, timezone) };
  const title = isFlat && 'summary' in about ? { title: describeTitle(all, timezone) } : {};
  return finish(
    task,
    'submit_plan',
    toArgs({ ...about, ...title, confidence: 0.9, checked: true }),
  );
}

const toRepeat = ({
  until,
  ...recurs
}: {
  rrule: string;
  starts_at: string;
  timezone: string;
  until: string | null;
}) => ({
  ...recurs,
  ...(until === null ? {} : { until }),
});

type Added = { steps: object[]; described: Described[] };

/** The steps of `add: COMMAND`, as they are written down; or what is said instead. */
async function readAddition(
  { request, tools, signal }: StageTask,
  { addition, steps }: Changes,
  draft: PlanDraft,
): Promise<Added | Exclude<Interpretation, Planned>> {
  if (addition === null) return { steps: [], described: [] };
  const id = Math.max(0, ...draft.steps.map((step) => Number(step.id) || 0)) + 1;
  const work: Work = {
    request,
    tools: { ...tools, readable: () => [] },
    signal,
    answers: new Map(),
  };
  const file = steps
    .map(({ args = {} }) => args.to ?? args.path)
    .findLast((one) => typeof one === 'string');
  const decision = await interpret(addition.text, work, id, typeof file === 'string' ? file : null);
  const plain =
    decision.kind === 'plan' &&
    decision.steps.every(
      ({ recurs, takes, deadline }) => recurs === null && takes === null && deadline === null,
    );
  if (decision.kind === 'questions')
    return { ...decision, questions: decision.questions.map((one) => ({ ...one, id: 'change' })) };
  if (decision.kind === 'unread')
    return {
      kind: 'questions',
      questions: [{ id: 'change', text: decision.text }],
      reason: decision.reason,
    };
  if (decision.kind === 'plan' || decision.kind === 'group') {
    if (decision.kind === 'plan' && plain) {
      const waitedFor = new Set(
        steps.flatMap(({ after = [] }) =>
          after.map((edge) => (typeof edge === 'string' ? edge : edge.id)),
        ),
      );
      const ends = steps.flatMap(({ id: own = '' }) => (waitedFor.has(own) ? [] : [own]));
      return {
        described: decision.steps,
        steps: decision.steps.map((step, at) => {
          const { changes, reads } = filesOf(step);
          const own = new Set([...changes, ...reads]);
          const met = steps.flatMap(({ id: other = '', args = {} }) =>
            Object.values(args).some((value) => own.has(String(value))) ? [other] : [],
          );
          const behind = addition.place === 'behind' && at === 0 ? ends : [];
          const after = [...writeEdges(step.after), ...new Set([...met, ...behind])];
          return {
            ...writeStep(step, request.timezone),
            after,
            ...(step.start === null ? {} : { not_before: step.start }),
          };
        }),
      };
    }
    const text =
      'Send loops, phases, repetitions and deadlines as a separate request. What should change?';
    return { kind: 'questions', questions: [{ id: 'change', text }], reason: 'asked: no addition' };
  }
  return decision;
}

/** Ends with what is no plan: an answer, a question, a failure. */
async function conclude(
  task: StageTask,
  decision: Exclude<Interpretation, Planned>,
): Promise<StageEvent> {
  const { state } = task;
  switch (decision.kind) {
    case 'answer':
      return answer(task, decision.text, decision.reason);
    case 'cannot':
      task.stageTools.say(
        { kind: 'cannot', text: decision.text, wanted: decision.wanted },
        decision.reason,
      );
      return 'answered';
    case 'failed':
      return stop(task, decision.code, decision.text, decision.reason);
    case 'questions':
    case 'unread': {
      const { pause } = state;
      // Beside something that waits for approval a question back would hide it.
      if (pause?.kind === 'gate' && pause.gate !== null)
        return answer(task, "I can't read that.", decision.reason);
      if (decision.kind === 'questions') return ask(task, decision.questions, decision.reason);
      return ask(
        task,
        [{ id: unreadId, text: decision.text, options: decision.options }],
        decision.reason,
        decision.text,
      );
    }
    default:
      return decision satisfies never;
  }
}

async function answer(task: StageTask, text: string, reason: string): Promise<StageEvent> {
  const { ends } = await task.stageTools.call('answer', toArgs({ text }), task.signal);
  task.stageTools.explain(reason);
  return ends ?? stop(task, 'internal', "I couldn't send the answer. Ask again.");
}

/** Calls the tool that ends the stage; what it finds wrong with the draft is a matter for the person. */
async function finish(task: StageTask, tool: string, args: JsonObject): Promise<StageEvent> {
  const { result, ends } = await task.stageTools.call(tool, args, task.signal);
  return (
    ends ?? (result.ok ? 'drafted' : stop(task, 'invalid_draft', result.explanations.join(' ')))
  );
}

const maxQuestion = 500;

/** At least one question, at most as many as the person wants at a time. @param otherwise what is said where nothing may be asked */
async function ask(
  task: StageTask,
  all: Question[],
  reason: string,
  otherwise: string | null = null,
): Promise<StageEvent> {
  const questions = all.slice(0, Math.min(10, Math.max(1, task.request.policy.probing_depth)));
  const fits = questions.every(({ text }) => text.length <= maxQuestion && !text.includes('\n'));
  if (fits || otherwise === null) {
    const args = questions.map(({ id, text, options = [] }) => ({
      ...{ id, question: shorten(text, maxQuestion), why: null, default: null, essential: true },
      options: options.length < 2 ? null : options,
    }));
    const { ends } = await task.stageTools.call(
      'elicit_context',
      toArgs({ questions: args }),
      task.signal,
    );
    task.stageTools.explain(reason);
    if (ends !== undefined) return ends;
  }
  // Asking was not wanted, and there is nothing sensible to assume.
  const why =
    task.state.change == null
      ? 'I was told not to ask, but this is still open:'
      : "I couldn't read what should change.";
  const text = otherwise ?? `${why} ${questions.map((one) => one.text).join(' ')}`;
  task.stageTools.say({ kind: 'answer', text }, reason);
  return 'answered';
}

function stop({ stageTools }: StageTask, code: string, text: string, reason = text): StageEvent {
  stageTools.say({ kind: 'aborted', reason: code, text }, reason);
  return 'fatal_error';
}
