// The reasoner without a model: deterministic, no network. It reads the commands of docs/commands.md, and fills each stage by
// calling the same tools that a model calls.
import { z } from 'zod';
import { isSamePerson } from '#domain/people/names.ts';
import { offlinePlanner } from '#domain/plan/planner-words.ts';
import type { PlanningRequest } from '#domain/planning/run.ts';
import type { StageEvent } from '#domain/planning/stages.ts';
import type { Rfc } from '#domain/planning/state.ts';
import { parseJson } from '#domain/text.ts';
import { listOf } from '#domain/words.ts';
import { isChange } from '../commands/changes.ts';
import type { Request } from '../commands/request.ts';
import { patternOf } from '../patterns/fit.ts';
import { findPattern, findSubtype } from '../patterns/read-pattern.ts';
import { patternRules } from '../patterns/rules.ts';
import type { Reasoner, StageTask } from '../reasoner.ts';
import { feedbackOf, fillChange } from './change-draft.ts';
import { conclude, finish, type Planned, stop, toArgs } from './conclude.ts';
import { readConversation } from './conversation.ts';
import { type Interpretation, interpret, isWhole } from './interpret.ts';
import { writeOutline } from './outline.ts';

const renamed = /^(?:propose changes\s*:\s*)?call it ["“]?([\p{L}][\p{L}\p{N}_-]{1,79})["”]?\.?$/iu;
const proposal = /^\s*plan an?\s[^:\n]{1,200}\swith the (?:new )?subtype\s[^:\n]{1,80}:/i;

/** The request whose proposal a person has just decided about, with its history, or null if this turn is about another. */
export function findRefused(
  { text, history }: PlanningRequest,
  rfc: Rfc | null,
): Pick<PlanningRequest, 'text' | 'history'> | null {
  if (rfc === null || proposal.test(text)) return null;
  const place = history.findLastIndex(
    ({ author, text: typed }) => author === 'person' && proposal.test(typed),
  );
  const asked = history[place];
  return asked === undefined ? null : { text: asked.text, history: history.slice(0, place) };
}

/**
 * Arguments of `select_pattern`. A pattern that was named, or follows from the shape of the work, is no guess. @param typed the
 * latest words
 */
export function namePattern({ pattern, commands, parts }: Request, typed: string, rfc: Rfc | null) {
  const plain = { subtype: null, variant: null, source_pattern: null, rfc: null, confidence: 1 };
  if (pattern === null) {
    const count = (structure: string) =>
      parts.filter((part) => part.structure === structure).length;
    const { pattern_type } = patternOf({
      structures: {
        goal: 1,
        phase: count('phase'),
        milestone: count('milestone'),
        task: commands.length,
        checkpoint: 0,
      },
      rhythms: new Set(
        commands.map(({ modifiers }) => (modifiers.every === null ? 'one_off' : 'recurring')),
      ),
      flat: parts.length === 0,
    });
    return { ...plain, pattern_type };
  }
  const source = findPattern(pattern.source) ?? 'milestone_project';
  const other =
    rfc?.status === 'rejected'
      ? renamed.exec(typed)?.[1]?.replaceAll('-', '_').toLowerCase()
      : undefined;
  const subtype = other ?? pattern.subtype;
  const isRefused = rfc?.status === 'rejected' && rfc.proposes === `proposed:${subtype}`;
  if (subtype === null || isRefused) return { ...plain, pattern_type: source };
  if (
    (other !== undefined && findSubtype(source, subtype) !== null) ||
    (!pattern.isNew && other === undefined)
  )
    return { ...plain, pattern_type: source, subtype };
  const { title, subtypes } = patternRules[source];
  const others = listOf(subtypes.map((one) => one.replaceAll('_', ' ')));
  const words = commands.map((command) => command.words).join('; ');
  return {
    ...plain,
    pattern_type: source,
    subtype: `proposed:${subtype}`,
    source_pattern: source,
    rfc: `${subtype} is named in the request as a new subtype of ${title}. The known ones are ${others}; none has this name. The work it would cover: ${words.slice(0, 300)} Until it is approved, the rules of ${title} hold.`,
  };
}

export function createCommandReasoner(): Reasoner {
  /** Made by one stage, used by the next. Recomputed after a restart. */
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

/** The only task that waits for the speaker here, if nothing else is asked. */
function findTask({ request, state }: StageTask): OpenTask | null {
  if (state.questions_asked > 0 || request.ownWords === false) return null;
  const open = (request.plans ?? []).flatMap(({ id, steps }) =>
    steps.flatMap(({ id: step, status, operation, args }): OpenTask[] => {
      if (status !== 'waiting' || operation !== 'human_task') return [];
      const { assignee } = Assigned.safeParse(parseJson(args)).data ?? {};
      const isTheirs = assignee === undefined || isSamePerson(assignee, request.user);
      return isTheirs ? [{ plan: id, step }] : [];
    }),
  );
  const [only, ...others] = open;
  return others.length === 0 ? (only ?? null) : null;
}

/** Words that are no command become the answer to their task, for the person to confirm. */
async function answerTask(
  task: StageTask,
  open: OpenTask,
  otherwise: Exclude<Interpretation, Planned>,
): Promise<StageEvent> {
  const { stageTools, request, signal } = task;
  const args = toArgs({ ...open, answer: request.text.trim() });
  const { ends, result } = await stageTools.call('answer_step', args, signal);
  return result.ok && ends !== undefined ? ends : conclude(task, otherwise);
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

/** The named pattern, or the nearest. */
async function collect(
  { stageTools, request, state, signal }: StageTask,
  decision: Planned,
): Promise<StageEvent> {
  for (const pattern of [decision.request.pattern, null]) {
    const named = namePattern({ ...decision.request, pattern }, request.text, state.rfc);
    const { ends, result } = await stageTools.call('select_pattern', toArgs(named), signal);
    // Plan even without a usable pattern.
    if (result.ok || pattern === null) return ends ?? 'sufficient_context';
  }
  return 'sufficient_context';
}
