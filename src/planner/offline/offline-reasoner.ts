// The reasoner without a model: deterministic, no network. It reads plain instructions, and fills each stage by calling
// the same tools that a model calls.
import type { Clock } from '#contracts/clock.ts';
import type { PlanDraft } from '#contracts/plan.ts';
import type { PatternSpec } from '#contracts/planning/pattern.ts';
import type { StageEvent } from '#contracts/planning/stages.ts';
import type { PlanningRequest, TraceEntry } from '#contracts/run.ts';
import { type Json, JsonObject, makeStorable } from '#contracts/text.ts';
import { shorten } from '#contracts/words.ts';
import { outlineOfDraft } from '../grammar/outline-of-draft.ts';
import { agreement, choosePattern, findPattern } from '../patterns/match.ts';
import { callToAction } from '../policy/calls-to-action.ts';
import { offersIdeas } from '../policy/effects.ts';
import { asksForIdeas } from '../policy/ideas.ts';
import type { ChangeTask, Reasoner, StageTask } from '../reasoner.ts';
import { createNodeFinder } from '../roadmap/find-node.ts';
import { indexOutline } from '../roadmap/outline-index.ts';
import { readOrderChange } from '../roadmap/read-order-change.ts';
import { type ChangedParts, changeParts } from './change-parts.ts';
import { decideSafely } from './decide.ts';
import { gateOfChange, movedSteps, reorderedSteps } from './draft-changes.ts';
import { withoutRefused } from './named-pattern.ts';
import { makeOffer } from './offer-ideas.ts';
import type { Decision } from './prepare.ts';
import { flattenOutline, hasParts, reviseOutline } from './revise-outline.ts';
import { findRefused } from './rfc-talk.ts';

const offlineName = 'offline planner';

type Made = { decision: Decision; trace: TraceEntry[] };
type Revision = PlanningRequest['revision'];

/** Everything the tools take is storable JSON; what is not there is not sent. */
function toArgs(value: object): JsonObject {
  const parsed: Json = JSON.parse(JSON.stringify(value));
  return JsonObject.parse(makeStorable(parsed));
}

export function createOfflineReasoner({ clock }: { clock: Clock }): Reasoner {
  /** What was made of a request: asked for by one stage, used by the next. Worked out again after a restart. */
  const known = new WeakMap<PlanningRequest, Map<string, Promise<Made>>>();

  function make(
    { request, tools, signal }: Pick<ChangeTask, 'request' | 'tools' | 'signal'>,
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
      const request = findRefused(given) ?? given.request;
      const task = { ...given, request, said: given.request.text };
      const changed = readPartsChanged(task);
      if (changed?.rest === '') return redraft(task, changed, null);
      const revision = revisionOf(task, changed);
      const { decision, trace } = await make(task, revision, task.state.offered);
      for (const entry of trace.splice(0)) task.bench.note({ ...entry, stage: task.stage });
      task.bench.explain(decision.reason);
      if (changed !== null && decision.result.kind === 'proposal')
        return redraft(task, changed, decision.result.draft);
      return fillWith(task, decision);
    },
    async route({ current, feedback, ...task }) {
      const { decision } = await make(task, { previous: current, feedback: [feedback] }, []);
      const { result } = decision;
      if (result.kind === 'proposal') return gateOfChange(current, result.draft);
      return saysOrder(current, feedback) ? 'roadmap' : null;
    },
  };
}

/** "a.txt after b.txt": an order among what is there, and nothing else. */
function saysOrder(current: PlanDraft, feedback: string): boolean {
  const index = indexOutline(outlineOfDraft(current, choosePattern(current.title)));
  const words = feedback.replace(/^\s*propose changes\s*:\s*/i, '');
  const { changes, unclear, rest } = readOrderChange(words, createNodeFinder(index));
  return changes.length > 0 && unclear.length === 0 && rest.length === 0;
}

/** `said`: the person's latest words, where the request is an earlier one that they are about. */
type OfflineTask = StageTask & { said: string };

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
  if (!hasParts(outline)) return null;
  return changeParts(outline, feedback, { now: new Date(now), timezone });
}

function redraft(
  task: OfflineTask,
  changed: ChangedParts,
  draft: PlanDraft | null,
): Promise<StageEvent> {
  return finish(task, 'generate_nodes', toArgs(reviseOutline(changed, draft)));
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
        ? finish(task, 'plan_propose', toArgs({ ...result.draft, confidence: null }))
        : finish(task, 'generate_nodes', decision.outline);
    }
    case 'DRAFT_ROADMAP': {
      if (!changing || current === null) return stop(task, 'internal', 'There is nothing to move.');
      const edges = result.kind === 'proposal' ? reorderedSteps(current, result.draft) : [];
      // Where nothing came of it, the tool reads the person's words itself.
      const args = toArgs({ edges: edges.length === 0 ? null : edges });
      const resolved = await task.bench.call('resolve_dependencies', args, task.signal);
      if (resolved.ends !== undefined && resolved.ends !== 'drafted') return resolved.ends;
      if (!resolved.result.ok) return ask(task, resolved.result.explanations, decision.reason);
      const choice = { prefer: null, reason: null, confidence: null };
      return finish(task, 'build_roadmap', toArgs(choice));
    }
    case 'DRAFT_SCHEDULE': {
      if (!changing || current === null) return stop(task, 'internal', 'There is nothing to move.');
      const isPlain = state.outline !== null && !hasParts(state.outline);
      const changes =
        isPlain && result.kind === 'proposal' ? movedSteps(current, result.draft) : [];
      return finish(task, 'generate_schedule', toArgs(changes.length === 0 ? {} : { changes }));
    }
    default:
      return stop(task, 'internal', `There is nothing to fill in ${stage}.`);
  }
}

async function collect(task: OfflineTask, decision: Decision): Promise<StageEvent> {
  const { bench, request, state, signal, said } = task;
  const { result } = decision;
  const asked = decision.asked ?? request.text;
  const offered = await offer(task, decision, asked);
  if (offered !== null) return offered;
  if (result.kind !== 'proposal') return conclude(task, decision);
  const pattern =
    decision.pattern === undefined
      ? toChoice(choosePattern(request.text))
      : withoutRefused(decision.pattern, state.rfc, said);
  const type = findPattern(pattern.source_pattern ?? pattern.pattern_type);
  const confidence = agreement(asked, type ?? 'milestone_project');
  const { ends, result: answer } = await bench.call(
    'select_pattern',
    toArgs({ variant: null, ...pattern, confidence }),
    signal,
  );
  if (answer.ok) return ends ?? 'sufficient_context';
  // A pattern that cannot be used is no reason not to plan.
  const known = { ...toChoice(choosePattern(asked)), confidence };
  const again = await bench.call('select_pattern', toArgs(known), signal);
  return again.ends ?? 'sufficient_context';
}

function toChoice(pattern: PatternSpec) {
  return {
    pattern_type: pattern.pattern_type,
    subtype: pattern.subtype ?? null,
    variant: pattern.variant ?? null,
    source_pattern: pattern.source_pattern ?? null,
    rfc: pattern.rfc ?? null,
  };
}

/** Half sure: what is wanted is clear enough to offer ways, and not to plan one. */
const unsure = 0.55;

/** Ideas or options, where the person asks for them or likes to be offered some; null: there are none to offer. */
async function offer(
  { bench, state, tools, signal, request }: OfflineTask,
  { result }: Decision,
  asked: string,
): Promise<StageEvent | null> {
  const wanted =
    asksForIdeas(asked) && state.offered.every(({ kind }) => kind !== 'idea' && kind !== 'option');
  const vague =
    result.kind === 'cannot' ||
    (result.kind === 'question' && /^I do not understand/.test(result.text));
  if (!wanted && !(vague && state.offered.length === 0)) return null;
  const made = makeOffer(asked, tools, wanted ? null : unsure);
  if (made === null || (!wanted && state.pause?.kind === 'gate')) return null;
  if (!wanted && !offersIdeas(request.policy, unsure, asked)) return null;
  const { ends } = await bench.call(made.tool, toArgs(made.args), signal);
  return ends ?? null;
}

/** What is no plan: an answer, a refusal, a question. */
async function conclude(task: OfflineTask, { result, reason }: Decision): Promise<StageEvent> {
  const { bench, signal, state, request } = task;
  switch (result.kind) {
    case 'answer':
      return answer(task, result.text, reason, signal);
    case 'cannot':
      bench.say(result, reason);
      return 'answered';
    case 'question': {
      const { pause } = state;
      if (pause?.kind !== 'gate' || pause.gate === null) return ask(task, result.questions, reason);
      // Beside something that waits for approval a question back would hide it.
      const call = callToAction({ kind: 'gate', gate: pause.gate }, request.policy);
      return answer(task, `I can't tell what is meant. ${call}`, reason, signal);
    }
    case 'aborted':
      bench.say(result, reason);
      return 'fatal_error';
    default:
      return stop(task, 'internal', 'Planning came to nothing. Ask in other words.');
  }
}

async function answer(
  task: OfflineTask,
  text: string,
  reason: string,
  signal: AbortSignal,
): Promise<StageEvent> {
  const { ends } = await task.bench.call('answer', toArgs({ text }), signal);
  task.bench.explain(reason);
  return ends ?? stop(task, 'internal', 'The answer could not be given. Ask again.');
}

/** Calls the tool that ends the stage; what it finds wrong with the draft is a matter for the person. */
async function finish(task: OfflineTask, tool: string, args: JsonObject): Promise<StageEvent> {
  const { result, ends } = await task.bench.call(tool, args, task.signal);
  if (ends !== undefined) return ends;
  if (result.ok) return 'drafted';
  return stop(task, 'invalid_draft', `${result.explanations.join(' ')} Say it in other words.`);
}

async function ask(task: OfflineTask, questions: string[], reason: string): Promise<StageEvent> {
  const args = toArgs({
    questions: questions.slice(0, 10).map((question) => ({
      question: shorten(question, 500),
      why: null,
      default: null,
      essential: true,
    })),
  });
  const { ends } = await task.bench.call('elicit_context', args, task.signal);
  task.bench.explain(reason);
  if (ends !== undefined) return ends;
  // Asking was not wanted, and there is nothing sensible to assume.
  const text = `I can't tell what is meant, and was asked to ask nothing: ${questions.join(' ')}`;
  task.bench.say({ kind: 'answer', text }, reason);
  return 'answered';
}

function stop({ bench }: StageTask, reason: string, text: string): StageEvent {
  bench.say({ kind: 'aborted', reason, text }, reason);
  return 'fatal_error';
}
