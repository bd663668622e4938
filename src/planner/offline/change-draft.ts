// Applies feedback to a draft without a model.
import { toDependency } from '#domain/plan/dependency.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { writeTemplates } from '#domain/plan/templates.ts';
import type { PlanOutline, Recurs } from '#domain/planning/outline.ts';
import type { StageEvent } from '#domain/planning/stages.ts';
import { operationName } from '#domain/tool.ts';
import { shorten } from '#domain/words.ts';
import type { Setting } from '../commands/answers.ts';
import { type Changes, type ReadChanges, readChanges } from '../commands/changes.ts';
import { draftPlan } from '../draft/draft-plan.ts';
import { outlineOfDraft } from '../outline/outline-of-draft.ts';
import { withoutAddedCheckpoints } from '../outline/outline-tree.ts';
import type { StageTask } from '../reasoner.ts';
import { readComments } from './comments.ts';
import { ask, conclude, finish, type Planned, stop, toArgs } from './conclude.ts';
import {
  type Described,
  describeOutcome,
  describeStep,
  describeTitle,
  filesOf,
} from './describe.ts';
import { type Interpretation, interpret, type Work } from './interpret.ts';
import { startOf, writeEdges, writeStep } from './outline.ts';

export function feedbackOf(
  { request: { text, answers, history } }: StageTask,
  feedback: string,
): string {
  const last = history.at(-1);
  const isOpen = last?.author === 'bot' && (last.questions ?? []).some(({ id }) => id === 'change');
  return (
    answers?.find(({ question_id }) => question_id === 'change')?.text ?? (isOpen ? text : feedback)
  );
}

export function openOutline({
  state,
  current,
  request,
}: StageTask): { outline: PlanOutline; draft: PlanDraft } | null {
  const previous = current ?? request.revision?.previous ?? null;
  const given = state.outline ?? (previous === null ? null : outlineOfDraft(previous, null));
  if (given === null) return null;
  const series = current?.series;
  return openGiven(given, series === undefined ? {} : { series });
}

function openGiven(
  given: PlanOutline,
  repeated: Pick<PlanDraft, 'series'>,
): { outline: PlanOutline; draft: PlanDraft } {
  const outline = withoutAddedCheckpoints(given);
  const nodes = outline.nodes.map((node) => ({
    ...node,
    recurs: null,
    rhythm: 'one_off' as const,
  }));
  const draft = draftPlan({ ...outline, nodes }, null, null);
  return { outline, draft: { ...draft, ...repeated } };
}

/** Why the plan can't be changed this way, or null. */
export function findChangeFault(text: string, plan: PlanDraft, setting: Setting): string | null {
  const { draft } = openGiven(outlineOfDraft(plan, null), plan);
  const read = readChanges(text, draft, setting);
  return read.kind === 'question' ? read.question.text : null;
}

export function readFeedback(
  { request }: StageTask,
  feedback: string,
  draft: PlanDraft,
): ReadChanges {
  const { comments = [], feedback: lines = [] } = request.revision ?? {};
  return comments.length === 0 || feedback !== lines.at(-1)
    ? readChanges(feedback, draft, request)
    : readComments(comments, draft, request);
}

export async function fillChange(task: StageTask, feedback: string): Promise<StageEvent> {
  const opened = openOutline(task);
  if (opened === null) return stop(task, 'internal', 'There is nothing to change.');
  const read = readFeedback(task, feedback, opened.draft);
  if (read.kind === 'question')
    return ask(task, [read.question], 'asked, because the change could not be read');
  task.stageTools.explain(`a new version, because of the feedback "${shorten(feedback, 200)}"`);
  return changeOutline(task, read.changes, opened);
}

/** Without steps, a deadline is for all that have one, or all. */
function stepsOf({ nodes }: PlanOutline, { steps }: NonNullable<Changes['move']>): string[] {
  if (steps.length > 0) return steps;
  const within = nodes.filter((node) => node.steps.length > 0);
  const dated = within.filter(({ deadline }) => deadline !== null);
  return (dated.length > 0 ? dated : within).flatMap((node) => node.steps.map(({ id = '' }) => id));
}

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
    const edges = (one: StepDraft | undefined) => writeEdges((one?.after ?? []).map(toDependency));
    const after = edges(step);
    const isMoved = JSON.stringify(after) !== JSON.stringify(edges(before.get(step.id ?? '')));
    const isOther = Object.keys(args).length > 0;
    if (!isOther && !isMoved) return [];
    const [described] = isOther ? describedOf(step) : [];
    return [
      {
        id: step.id,
        ...(isOther ? { args: writeTemplates(args) } : {}),
        ...(isMoved ? { after } : {}),
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
  const from = series === undefined ? request.now : beginOf(series.recurs, request.now);
  const { move } = changes;
  const { steps: _, ...times } = move ?? { steps: [] };
  const calls: [tool: string, ids: readonly unknown[], args: object][] = [
    ['remove_steps', gone, { ids: gone }],
    ['edit_steps', edited, { steps: edited }],
    [
      'set_schedule',
      series === undefined ? [] : recurring,
      {
        ids: recurring.map(({ id }) => id),
        ...(series === undefined
          ? {}
          : {
              repeat: {
                ...{ ...series.recurs, rrule: changes.rule },
                starts_at: startOf(changes.rule ?? '', from, series.recurs.timezone).toISOString(),
                until: changes.until ?? series.recurs.until ?? undefined,
              },
            }),
      },
    ],
    [
      'set_schedule',
      move === null ? [] : [move],
      { ids: move && stepsOf(outline, move), ...times },
    ],
    ['add_steps', added.steps, { steps: added.steps }],
  ];
  for (const [tool, items, args] of calls) {
    if (items.length === 0) continue;
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
    toArgs({
      ...{ ...about, ...title, confidence: 0.9, checked: true },
      ...(changes.order === null ? {} : { preferences: { order: changes.order } }),
    }),
  );
}

/** A later start that was asked for is kept. */
function beginOf({ rrule, timezone, starts_at }: Recurs, now: Date): Date {
  const begins = Date.parse(starts_at);
  return begins <= startOf(rrule, now, timezone).getTime() ? now : new Date(begins - 1);
}

type Added = { steps: object[]; described: Described[] };

/** Steps of `add: COMMAND`, or the reply instead. */
async function readAddition(
  { request, tools, signal }: StageTask,
  { addition, steps }: Changes,
  draft: PlanDraft,
): Promise<Added | Exclude<Interpretation, Planned>> {
  if (addition === null) return { steps: [], described: [] };
  const id = Math.max(0, ...draft.steps.map((step) => Number(step.id) || 0)) + 1;
  // No lookups: a question about a taken target would be answered by another change.
  const { inspect: _, ...others } = tools;
  const work: Work = {
    request,
    tools: { ...others, readable: () => [] },
    signal,
    answers: new Map(),
  };
  const file = steps
    .map(({ args = {} }) => args.to ?? args.path)
    .findLast((one) => typeof one === 'string');
  const decision = await interpret(addition.text, work, id, typeof file === 'string' ? file : null);
  const askAgain = (text: string, reason: string) => ({
    ...{ kind: 'questions' as const, questions: [{ id: 'change', text }], reason },
  });
  if (decision.kind === 'questions')
    return { ...decision, questions: decision.questions.map((one) => ({ ...one, id: 'change' })) };
  if (decision.kind === 'unread') return askAgain(decision.text, decision.reason);
  if (decision.kind !== 'plan' && decision.kind !== 'group') return decision;
  const isPlain =
    decision.kind === 'plan' &&
    decision.steps.every((one) => !one.recurs && one.takes === null && one.deadline === null);
  if (!isPlain)
    return askAgain(
      'Send loops, phases, repetitions and deadlines as a separate request. What should change?',
      'asked: no addition',
    );
  const waitedFor = new Set(
    steps.flatMap(({ after = [] }) => after.map((edge) => toDependency(edge).id)),
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
      return {
        ...writeStep(step, request.timezone),
        after: [...writeEdges(step.after), ...new Set([...met, ...behind])],
        not_before: step.start ?? undefined,
      };
    }),
  };
}
