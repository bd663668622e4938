// The reasoner without a model: deterministic, no network. It reads plain instructions, and fills each stage by calling
// the same tools that a model calls.
import type { Clock } from '#contracts/clock.ts';
import { canonicalPattern } from '#contracts/planning/pattern.ts';
import type { StageEvent } from '#contracts/planning/stages.ts';
import type { PlanningRequest, TraceEntry } from '#contracts/run.ts';
import { type Json, JsonObject, makeStorable } from '#contracts/text.ts';
import { shorten } from '#contracts/words.ts';
import { agreement, choosePattern } from '../patterns/match.ts';
import type { ChangeTask, Reasoner, StageTask } from '../reasoner.ts';
import { decideSafely } from './decide.ts';
import { gateOfChange, movedSteps, reorderedSteps } from './draft-changes.ts';
import type { Decision } from './prepare.ts';

const offlineName = 'offline planner';

type Made = { decision: Decision; trace: TraceEntry[] };

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
    revision: PlanningRequest['revision'],
  ): Promise<Made> {
    const key = JSON.stringify(revision?.feedback ?? null);
    const made = known.get(request) ?? new Map<string, Promise<Made>>();
    known.set(request, made);
    const before = made.get(key);
    if (before !== undefined) return before;
    const trace: TraceEntry[] = [];
    const work = { tools, clock, signal, trace, request: { ...request, revision } };
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
    async fill(task) {
      const { decision, trace } = await make(task, revisionOf(task));
      for (const entry of trace.splice(0)) task.bench.note({ ...entry, stage: task.stage });
      task.bench.explain(decision.reason);
      return fillWith(task, decision);
    },
    async route({ current, feedback, ...task }) {
      const { decision } = await make(task, { previous: current, feedback: [feedback] });
      const { result } = decision;
      return result.kind === 'proposal' ? gateOfChange(current, result.draft) : null;
    },
  };
}

/** The refused plan and what was said about it, where this turn changes one. */
function revisionOf({ request, state, current }: StageTask): PlanningRequest['revision'] {
  const { revision } = request;
  if (state.change !== null && current !== null)
    return { previous: current, feedback: [state.change.feedback] };
  return revision === null ? null : { ...revision, previous: current ?? revision.previous };
}

async function fillWith(task: StageTask, { result, reason }: Decision): Promise<StageEvent> {
  const { bench, stage, request, signal, state, current } = task;
  switch (result.kind) {
    case 'answer': {
      const { ends } = await bench.call('answer', toArgs({ text: result.text }), signal);
      bench.explain(reason);
      return ends ?? stop(task, 'internal', 'The answer could not be given. Ask again.');
    }
    case 'cannot':
      bench.say(result, reason);
      return 'answered';
    case 'question':
      return ask(task, result.questions, reason);
    case 'proposal':
      break;
    case 'aborted':
      bench.say(result, reason);
      return 'fatal_error';
    default:
      return stop(task, 'internal', 'Planning came to nothing. Ask in other words.');
  }
  const { draft } = result;
  const changing = state.change !== null || request.revision !== null;
  switch (stage) {
    case 'COLLECT_CONTEXT': {
      const { ends } = await bench.call('select_pattern', patternArgs(request.text), signal);
      return ends ?? 'sufficient_context';
    }
    case 'DRAFT_OUTLINE':
      return finish(task, 'plan_propose', toArgs({ ...draft, confidence: null }));
    case 'DRAFT_ROADMAP': {
      if (!changing || current === null) return stop(task, 'internal', 'There is nothing to move.');
      const args = { edges: reorderedSteps(current, draft) };
      const resolved = await bench.call('resolve_dependencies', toArgs(args), signal);
      if (!resolved.result.ok) return ask(task, resolved.result.explanations, reason);
      return finish(
        task,
        'build_roadmap',
        toArgs({ prefer: null, reason: null, confidence: null }),
      );
    }
    case 'DRAFT_SCHEDULE': {
      if (!changing || current === null) return stop(task, 'internal', 'There is nothing to move.');
      return finish(task, 'generate_schedule', toArgs({ changes: movedSteps(current, draft) }));
    }
    default:
      return stop(task, 'internal', `There is nothing to fill in ${stage}.`);
  }
}

function patternArgs(request: string): JsonObject {
  const pattern = choosePattern(request);
  return toArgs({
    pattern_type: pattern.pattern_type,
    subtype: pattern.subtype ?? null,
    variant: pattern.variant ?? null,
    source_pattern: pattern.source_pattern ?? null,
    rfc: pattern.rfc ?? null,
    confidence: agreement(request, canonicalPattern(pattern)),
  });
}

/** Calls the tool that ends the stage; what it finds wrong with the draft is a matter for the person. */
async function finish(task: StageTask, tool: string, args: JsonObject): Promise<StageEvent> {
  const { result, ends } = await task.bench.call(tool, args, task.signal);
  if (ends !== undefined) return ends;
  if (result.ok) return 'drafted';
  return stop(task, 'invalid_draft', `${result.explanations.join(' ')} Say it in other words.`);
}

async function ask(task: StageTask, questions: string[], reason: string): Promise<StageEvent> {
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
