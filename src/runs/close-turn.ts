// Converts a planner's outcome into the columns of its run. Pure.
import type { RunRow } from '#db/planning/runs.ts';
import { type CallToAction, callOf, type MessageParts } from '#domain/chat/message-parts.ts';
import type { InteractionPolicy } from '#domain/people/policy.ts';
import type { Plan } from '#domain/plan/plan.ts';
import type { MessageLine } from '#domain/planning/asked-question.ts';
import type { PlanningOutcome } from '#domain/planning/run.ts';
import type { Pause } from '#domain/planning/state.ts';
import type { TraceEntry } from '#domain/planning/trace.ts';
import { callOfPlan } from '#messages/store-message.ts';
import { nextRunStatus, type RunEvent } from './run-table.ts';

export type Ended = PlanningOutcome & {
  result: Exclude<PlanningOutcome['result'], { kind: 'superseded' }>;
};
type Result = Ended['result'];
type Tone = InteractionPolicy['tone'];
type Closing = Partial<RunRow> & Pick<RunRow, 'planning_status'>;

/** Why a session without its own state is paused. */
function pauseOf(result: Result): Pause | null {
  switch (result.kind) {
    case 'gate':
      return { kind: 'gate', resume: 'SEEK_APPROVAL', gate: result.gate, digest: result.digest };
    case 'rfc':
      return { kind: 'rfc', resume: 'DRAFT_OUTLINE', gate: null, digest: null };
    case 'escalation':
      return { kind: 'escalation', resume: 'DRAFT_SCHEDULE', gate: null, digest: null };
    case 'question':
      return { kind: 'questions', resume: 'COLLECT_CONTEXT', gate: null, digest: null };
    case 'proposal':
      return { kind: 'plan', resume: 'SEEK_APPROVAL', gate: null, digest: null };
    case 'step_answer':
      return { kind: 'answer', resume: 'COLLECT_CONTEXT', gate: null, digest: null };
    case 'patch':
    case 'answer':
    case 'cannot':
    case 'aborted':
      return null;
    default:
      return result satisfies never;
  }
}

export function sessionColumns(
  { result, session }: Ended,
  run: Pick<RunRow, 'pattern' | 'rfc'>,
): Pick<RunRow, 'pause' | 'pattern' | 'rfc'> {
  const pause = result.kind === 'aborted' ? null : (session?.pause ?? pauseOf(result));
  if (session === null) return { pause, pattern: run.pattern, rfc: run.rfc };
  return { pause, pattern: session.pattern, rfc: session.rfc };
}

/** Replaces earlier entries of that turn except people's decisions. */
export function traceWith(run: Pick<RunRow, 'trace' | 'turn'>, added: TraceEntry[]): TraceEntry[] {
  const before = run.trace.filter(({ turn, tool }) => turn !== run.turn || tool === 'person');
  return [...before, ...added.map((entry) => ({ ...entry, turn: entry.turn ?? run.turn }))];
}

/** There is no new version, so the refused plan stops waiting. */
export function endsRevision({ result, session }: Ended): boolean {
  switch (result.kind) {
    case 'answer':
    case 'cannot':
      return (session?.pause ?? null) === null;
    case 'aborted':
    case 'patch':
    case 'step_answer':
      return true;
    case 'question':
    case 'gate':
    case 'rfc':
    case 'escalation':
    case 'proposal':
      return false;
    default:
      return result satisfies never;
  }
}

type Talk = Exclude<Result, { kind: 'proposal' | 'patch' }>;
type OpenPlan = Pick<Plan, 'id' | 'status'>;

/** The other thing waiting after an answer. */
function callForOther(pause: Pause | null, open: OpenPlan | null, tone: Tone): CallToAction | null {
  if (pause === null || pause.kind === 'plan') return open === null ? null : callOfPlan(open, tone);
  return callOf(pause, tone);
}

/** @param open the run's plan, if it waits for a decision @param byModel a model wrote the answer */
export function saysOf(
  result: Talk,
  pause: Pause | null,
  open: OpenPlan | null,
  tone: Tone,
  byModel: boolean,
): MessageParts {
  const given = 'lines' in result ? result.lines : undefined;
  const lines = given ?? splitLines(result);
  const own = byModel ? { unplanned: true as const } : {};
  switch (result.kind) {
    case 'answer':
    case 'cannot': {
      const questions = result.kind === 'answer' ? (result.asked ?? []) : [];
      const action = callForOther(pause, open, tone);
      return { kind: 'answer', facts: { lines, questions, ...own }, action };
    }
    case 'question': {
      const { questions } = result;
      return pause?.kind === 'budget'
        ? { kind: 'budget', facts: { lines, questions }, action: callOf(pause, tone) }
        : { kind: 'question', facts: { lines, questions }, action: null };
    }
    case 'gate': {
      const action: CallToAction = { kind: 'gate', gate: result.gate, tone };
      return { kind: 'gate', facts: { lines, ...own }, action };
    }
    case 'step_answer':
      return { kind: 'confirm', facts: { lines }, action: { kind: 'confirm' } };
    case 'rfc':
    case 'escalation':
      return { kind: result.kind, facts: { lines }, action: { kind: result.kind, tone } };
    case 'aborted':
      return { kind: 'aborted', facts: { lines }, action: null };
    default:
      return result satisfies never;
  }
}

/** A session's card shows its full pause; an answer has no card. */
function splitLines({ kind, text }: Talk): MessageLine[] {
  const answered = kind === 'answer' || kind === 'cannot' || kind === 'gate';
  return text
    .split('\n')
    .map((line) => (answered ? { text: line } : { text: line, on_card: true }));
}

export function closing(result: Talk, pause: Pause | null, open: boolean): Closing {
  const after = (event: RunEvent) => nextRunStatus('running', event);
  switch (result.kind) {
    case 'answer':
    case 'cannot': {
      const waits = open || (pause !== null && pause.kind !== 'plan');
      const escalate_reason = result.kind === 'cannot' ? result.text : null;
      if (!waits) return { planning_status: after('answer'), pause: null, escalate_reason };
      const event = pause?.kind === 'escalation' ? 'escalate' : 'answer_beside_plan';
      return { planning_status: after(event) };
    }
    case 'question':
      return { planning_status: after('ask'), questions: result.questions.map((one) => one.text) };
    case 'gate':
    case 'step_answer':
      return { planning_status: after('ask') };
    case 'rfc':
      return {
        planning_status: after('ask'),
        escalate_reason: `A pattern that is new waits for approval: ${result.rfc}`,
      };
    case 'escalation':
      return { planning_status: after('escalate'), escalate_reason: result.infeasible.reason };
    case 'aborted':
      return { planning_status: after('give_up'), escalate_reason: result.reason };
    default:
      return result satisfies never;
  }
}

export function hasEnded(outcome: PlanningOutcome): outcome is Ended {
  return outcome.result.kind !== 'superseded';
}
