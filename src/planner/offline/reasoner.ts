// The deterministic reasoner without a model, for commands.
import { z } from 'zod';
import { isSamePerson } from '#domain/people/names.ts';
import { offlinePlanner } from '#domain/plan/step-words.ts';
import type { PlanningRequest } from '#domain/planning/run.ts';
import type { StageEvent } from '#domain/planning/stages.ts';
import { parseJson } from '#domain/text.ts';
import { isChange } from '../commands/changes.ts';
import type { Request } from '../commands/request.ts';
import { patternOf } from '../patterns/fit.ts';
import type { Reasoner, StageTask } from '../reasoner.ts';
import { feedbackOf, fillChange } from './change-draft.ts';
import { conclude, finish, type Planned, stop, toArgs } from './conclude.ts';
import { readConversation } from './conversation.ts';
import { type Interpretation, interpret, isWhole } from './interpret.ts';
import { writeOutline } from './outline.ts';

export function createCommandReasoner(): Reasoner {
  /** Shared between stages; recomputed after a restart. */
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
      if (stage === 'SEEK_APPROVAL')
        return finish(task, 'route_change', toArgs({ stage: 'outline', reason: 'by edits' }));
      const changing =
        state.change ??
        (request.revision === null ? null : { feedback: request.revision.feedback.at(-1) ?? '' });
      if (changing !== null && stage !== 'COLLECT_CONTEXT')
        return fillChange(task, feedbackOf(task, changing.feedback));
      const decision = await decideOnce(task);
      task.stageTools.explain(decision.reason);
      if (decision.kind === 'unread') {
        const open = findTask(task);
        if (open !== null) return answerTask(task, open, decision);
        const [waiting, ...more] = (request.plans ?? []).filter((one) => one.waits !== undefined);
        if (waiting !== undefined && more.length === 0 && isChange(request.text, request)) {
          const again = toArgs({ call: 'plan_again', args: { plan: waiting.id } });
          const { result } = await task.stageTools.call('on_plan', again, task.signal);
          if (!result.ok) return stop(task, 'internal', result.explanations.join(' '));
          const changed = { ...task, state: { ...state, outline: task.stageTools.draft() } };
          return fillChange(changed, request.text);
        }
      }
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

type OpenTask = { plan: string; step: string };

const Assigned = z.object({ assignee: z.string().exactOptional() });

const isHuman = /^human_(?:task|confirm)$/;
const yesOrNo = /^\s*(?:yes|no)[.!]?\s*$/i;

/** The only task waiting for the speaker, if nothing else is asked. */
function findTask({ request, state }: StageTask): OpenTask | null {
  if (state.questions_asked > 0 || request.ownWords === false) return null;
  const open = (request.plans ?? []).flatMap(({ id, steps }) =>
    steps.flatMap(({ id: step, status, operation, args }): OpenTask[] => {
      const takes = operation === 'human_confirm' ? yesOrNo : /^/;
      if (status !== 'waiting' || !isHuman.test(operation) || !takes.test(request.text)) return [];
      const { assignee } = Assigned.safeParse(parseJson(args)).data ?? {};
      const isTheirs = assignee === undefined || isSamePerson(assignee, request.user);
      return isTheirs ? [{ plan: id, step }] : [];
    }),
  );
  const [only, ...others] = open;
  return others.length === 0 ? (only ?? null) : null;
}

/** Other words answer their open task, after confirmation. */
async function answerTask(
  task: StageTask,
  open: OpenTask,
  unread: Extract<Interpretation, { kind: 'unread' }>,
): Promise<StageEvent> {
  const { stageTools, request, signal } = task;
  const args = toArgs({ ...open, answer: request.text.trim() });
  const { ends, result } = await stageTools.call('answer_step', args, signal);
  if (result.ok && ends !== undefined) return ends;
  return conclude(task, { ...unread, text: [...result.explanations, unread.text].join('\n') });
}

async function decideRequest({
  request,
  tools,
  signal,
  state,
}: StageTask): Promise<Interpretation> {
  const isSettled = state.questions_asked > 0 && (request.answers ?? []).length === 0;
  const { text, answers, withdrawn } = readConversation(
    request,
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

/** Plans even if the pattern is refused. */
async function collect(
  { stageTools, signal }: StageTask,
  { request }: Planned,
): Promise<StageEvent> {
  const { ends } = await stageTools.call('select_pattern', toArgs(patternFor(request)), signal);
  return ends ?? 'sufficient_context';
}

function patternFor({ commands, parts }: Request) {
  const count = (structure: string) => parts.filter((one) => one.structure === structure).length;
  const { pattern_type } = patternOf({
    structures: {
      ...{ goal: 1, phase: count('phase'), milestone: count('milestone') },
      ...{ task: commands.length, checkpoint: 0 },
    },
    rhythms: new Set(
      commands.map(({ modifiers }) => (modifiers.every === null ? 'one_off' : 'recurring')),
    ),
    flat: parts.length === 0,
  });
  const none = { subtype: null, variant: null, source_pattern: null, rfc: null };
  return { ...none, pattern_type, confidence: 1 };
}
