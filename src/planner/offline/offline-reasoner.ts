// The reasoner without a model: deterministic, no network. It reads plain instructions, and fills each stage by calling
// the same tools that a model calls.
import type { Clock } from '#contracts/clock.ts';
import type { PlanDraft } from '#contracts/plan.ts';
import type { StageEvent } from '#contracts/planning/stages.ts';
import type { PlanningRequest, TraceEntry } from '#contracts/run.ts';
import type { JsonObject } from '#contracts/text.ts';
import { outlineOfDraft } from '../grammar/outline-of-draft.ts';
import { choosePattern } from '../patterns/match.ts';
import type { Reasoner, StageTask } from '../reasoner.ts';
import { indexOutline } from '../roadmap/outline-index.ts';
import { type ChangedParts, changeParts } from './change-parts.ts';
import { routeChange } from './change-request.ts';
import { collect } from './collect.ts';
import { decideSafely } from './decide.ts';
import { gateOfChange, movedSteps, reorderedSteps } from './draft-changes.ts';
import { ask, conclude, finish, type OfflineTask, stop, toArgs } from './end-stage.ts';
import { createNodeFinder } from './find-node.ts';
import { readLeadVerb, stripPoliteness } from './lexicon.ts';
import { readNamedPattern } from './named-pattern.ts';
import type { Decision } from './prepare.ts';
import { readOrderChange } from './read-order-change.ts';
import {
  readOrderFeedback,
  readPreferences,
  readTimeFeedback,
  settleTiming,
} from './read-words.ts';
import { flattenOutline, hasParts, reviseOutline } from './revise-outline.ts';
import { isTooLong, shield } from './shield.ts';

const offlineName = 'offline planner';

type Made = { decision: Decision; trace: TraceEntry[] };
type Revision = PlanningRequest['revision'];

export function createOfflineReasoner({ clock }: { clock: Clock }): Reasoner {
  /** What was made of a request: asked for by one stage, used by the next. Worked out again after a restart. */
  const known = new WeakMap<PlanningRequest, Map<string, Promise<Made>>>();

  function make(
    { request, tools, signal }: Pick<StageTask, 'request' | 'tools' | 'signal'>,
    revision: Revision,
    offered: readonly JsonObject[],
  ): Promise<Made> {
    const key = JSON.stringify([request.text, revision]);
    const made = known.get(request) ?? new Map<string, Promise<Made>>();
    known.set(request, made);
    const before = made.get(key);
    if (before !== undefined) return before;
    const trace: TraceEntry[] = [];
    const work = { tools, clock, signal, trace, offered, request: { ...request, revision } };
    const now = decideSafely({ ...work, answers: new Map() }).then((decision) => ({
      decision,
      trace,
    }));
    made.set(key, now);
    return now;
  }

  return {
    name: offlineName,
    model: null,
    async fill(given) {
      if (given.stage === 'SEEK_APPROVAL') return route(given);
      const request = findRefused(given) ?? given.request;
      const task = { ...given, request, said: given.request.text };
      const changed = readPartsChanged(task);
      if (changed?.rest === '') return redraft(task, changed, null);
      const revision = revisionOf(task, changed);
      const { decision, trace } = await make(task, revision, task.state.offered);
      for (const entry of trace.splice(0)) task.stageTools.note({ ...entry, stage: task.stage });
      task.stageTools.explain(decision.reason);
      if (changed !== null && decision.result.kind === 'proposal')
        return redraft(task, changed, decision.result.draft);
      return fillWith(task, decision);
    },
  };

  /** What the feedback concerns: by what it would change in the plan, else by its words. */
  async function route(task: StageTask): Promise<StageEvent> {
    const { current, state } = task;
    const feedback = state.change?.feedback ?? '';
    const choose = (stage: string, reason: string) =>
      finish({ ...task, said: task.request.text }, 'route_change', { stage, reason });
    if (current !== null) {
      const { decision } = await make(task, { previous: current, feedback: [feedback] }, []);
      const { result } = decision;
      if (result.kind === 'proposal')
        return choose(gateOfChange(current, result.draft), 'by what would change');
      if (saysOrder(current, feedback)) return choose('roadmap', 'it names an order');
    }
    const { gate, reasons } = routeChange(feedback, state.outline);
    return choose(gate, reasons.join(' '));
  }
}

/** "a.txt after b.txt": an order among what is there, and nothing else. */
function saysOrder(current: PlanDraft, feedback: string): boolean {
  if (isTooLong(feedback)) return false;
  const index = indexOutline(outlineOfDraft(current, choosePattern(current.title)));
  const words = feedback.replace(/^\s*propose changes\s*:\s*/i, '');
  const { changes, unclear, rest } = readOrderChange(words, createNodeFinder(index));
  return changes.length > 0 && unclear.length === 0 && rest.length === 0;
}

/** The refused plan and what was said about it, where this turn changes one. */
function revisionOf(
  { request, state, current }: OfflineTask,
  changed: ChangedParts | null,
): Revision {
  const { revision } = request;
  if (changed !== null)
    return { previous: flattenOutline(changed.outline), feedback: [changed.rest] };
  if (state.change !== null && current !== null)
    return { previous: current, feedback: [state.change.feedback] };
  return revision === null ? null : { ...revision, previous: current ?? revision.previous };
}

/** What the person wants of an outline with parts; null: it is not about one, or it is being drafted anew. */
function readPartsChanged({ stage, request, state }: OfflineTask): ChangedParts | null {
  const { outline, change, now, timezone } = state;
  const feedback = change?.feedback ?? request.revision?.feedback.at(-1);
  if (stage !== 'DRAFT_OUTLINE' || outline === null || feedback === undefined) return null;
  if (isTooLong(feedback)) return null;
  if (!hasParts(outline)) return null;
  return changeParts(outline, feedback, { now: new Date(now), timezone });
}

function redraft(
  task: OfflineTask,
  changed: ChangedParts,
  draft: PlanDraft | null,
): Promise<StageEvent> {
  return draftNodes(task, toArgs(reviseOutline(changed, draft)));
}

function draftNodes(task: OfflineTask, outline: JsonObject): Promise<StageEvent> {
  const { args, questions } = settleTiming(outline, task);
  if (questions.length > 0 && mayAsk(task)) return ask(task, questions, 'the order is not clear');
  return finish(task, 'generate_nodes', args);
}

function mayAsk({ request, state }: OfflineTask): boolean {
  return request.policy.probing_depth > state.questions_asked;
}

/** Asks about feedback; the answer is read as feedback to the same stage. */
function askFor(task: OfflineTask, all: string[]): StageEvent {
  const questions = all.slice(0, 10);
  task.stageTools.ask(
    { kind: 'question', text: questions.join('\n'), questions },
    { kind: 'questions', resume: task.stage, gate: null, digest: null },
    'the feedback leaves something open',
  );
  return 'needs_clarification';
}

async function fillWith(task: OfflineTask, decision: Decision): Promise<StageEvent> {
  const { stage, request, state, current } = task;
  const { result } = decision;
  const changing = state.change !== null || request.revision !== null;
  switch (stage) {
    case 'COLLECT_CONTEXT':
      return collect(task, decision);
    case 'DRAFT_OUTLINE': {
      if (result.kind !== 'proposal') return conclude(task, decision);
      return decision.outline === undefined
        ? finish(
            task,
            'plan_propose',
            toArgs({
              ...result.draft,
              confidence: null,
              preferences: readPreferences(request.text),
            }),
          )
        : draftNodes(task, decision.outline);
    }
    case 'DRAFT_ROADMAP': {
      if (!changing || current === null) return stop(task, 'internal', 'There is nothing to move.');
      const moved = result.kind === 'proposal' ? reorderedSteps(current, result.draft) : [];
      const read =
        moved.length === 0 && state.outline !== null && state.change !== null
          ? readOrderFeedback(state.outline, state.change.feedback)
          : { edges: moved, prefer: null, questions: [] };
      if (read.questions.length > 0 && mayAsk(task)) return askFor(task, read.questions);
      const args = toArgs({ edges: read.edges });
      const resolved = await task.stageTools.call('resolve_dependencies', args, task.signal);
      if (resolved.ends !== undefined && resolved.ends !== 'drafted') return resolved.ends;
      if (!resolved.result.ok) return ask(task, resolved.result.explanations, decision.reason);
      const choice = { prefer: read.prefer, reason: null, confidence: null };
      return finish(task, 'build_roadmap', toArgs(choice));
    }
    case 'DRAFT_SCHEDULE': {
      if (!changing || current === null) return stop(task, 'internal', 'There is nothing to move.');
      const isPlain = state.outline !== null && !hasParts(state.outline);
      const changes =
        isPlain && result.kind === 'proposal' ? movedSteps(current, result.draft) : [];
      if (changes.length > 0) return finish(task, 'generate_schedule', toArgs({ changes }));
      const read =
        state.change === null
          ? { args: {}, questions: [] }
          : readTimeFeedback(state.change.feedback, task);
      if (read.questions.length > 0) return askFor(task, read.questions);
      return finish(task, 'generate_schedule', read.args);
    }
    default:
      return stop(task, 'internal', `There is nothing to fill in ${stage}.`);
  }
}

// After a proposed pattern was refused, the request it was for is planned without it: that stands in the conversation.

/** The request for which a pattern was proposed that a person has refused; null: this turn is about something else. */
function findRefused({
  request,
  state,
}: Pick<StageTask, 'request' | 'state'>): PlanningRequest | null {
  const { rfc, outline } = state;
  if (rfc?.status !== 'rejected' || outline !== null) return null;
  const { decision, text, history } = request;
  if (decision.kind === 'approve' || names(text, rfc.proposes)) return null;
  const place = history.findLastIndex(
    (item) => item.author === 'person' && names(item.text, rfc.proposes),
  );
  const asked = history[place];
  if (asked === undefined) return null;
  // Whoever asks for something else at this point wants that.
  const isNew =
    decision.kind === 'said' &&
    readLeadVerb(stripPoliteness(text))?.known === true &&
    !/\b(?:subtype|pattern|call it|name it|known)\b/i.test(text);
  return isNew ? null : { ...request, text: asked.text, history: history.slice(0, place) };
}

function names(text: string, proposes: string): boolean {
  const named = readNamedPattern(shield(text).text)?.pattern;
  return named?.subtype === proposes || named?.pattern_type === proposes;
}
