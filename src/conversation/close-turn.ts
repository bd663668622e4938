// What a planner's outcome makes of its run, as columns. Pure.
import { nameQuestions } from '#contracts/asked-question.ts';
import type { MessageParts } from '#contracts/message-parts.ts';
import type { Plan } from '#contracts/plan.ts';
import type { Pause } from '#contracts/planning/state.ts';
import type { PlanningOutcome, TraceEntry } from '#contracts/run.ts';
import type { RunRow } from '#store/runs.ts';
import { callToAction, sessionCall } from './call-to-action.ts';
import { nextRunStatus, type RunEvent } from './run-table.ts';

/** An outcome that counts: what another planner went on with is that one's to tell. */
export type Ended = PlanningOutcome & {
  result: Exclude<PlanningOutcome['result'], { kind: 'superseded' }>;
};
type Result = Ended['result'];
type Closing = Partial<RunRow> & Pick<RunRow, 'planning_status' | 'response_text'>;

/** Why a session without a state of its own stands still. */
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
    case 'answer':
    case 'cannot':
    case 'aborted':
      return null;
    default:
      return result satisfies never;
  }
}

/** What the run keeps of the session: why it stands, and the shape of the work. */
export function sessionColumns(
  { result, session }: Ended,
  run: Pick<RunRow, 'pattern' | 'rfc'>,
): Pick<RunRow, 'pause' | 'pattern' | 'rfc'> {
  const pause = result.kind === 'aborted' ? null : (session?.pause ?? pauseOf(result));
  if (session === null) return { pause, pattern: run.pattern, rfc: run.rfc };
  return { pause, pattern: session.pattern, rfc: session.rfc };
}

/** The run's trace with that of a turn; what stands there of the same turn is replaced, but people's decisions stay. */
export function traceWith(run: Pick<RunRow, 'trace' | 'turn'>, added: TraceEntry[]): TraceEntry[] {
  const before = run.trace.filter(({ turn, tool }) => turn !== run.turn || tool === 'person');
  return [...before, ...added.map((entry) => ({ ...entry, turn: entry.turn ?? run.turn }))];
}

/** Whether no new version comes of what was asked, so that the refused plan waits for none. */
export function endsRevision({ result, session }: Ended): boolean {
  switch (result.kind) {
    case 'answer':
    case 'cannot':
      return (session?.pause ?? null) === null;
    case 'aborted':
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

/** Something said beside what still waits: a plan, or the session itself. */
function beside(text: string, pause: Pause | null, open: Pick<Plan, 'id' | 'status'> | null) {
  if (pause === null || pause.kind === 'plan') {
    return open === null ? text : `${text}\n${callToAction(open)}`;
  }
  const call = sessionCall(pause.kind, pause.gate);
  return text.includes(call) ? text : `${text}\n${call}`;
}

/** The outcome of a turn that proposes nothing. @param open the run's plan, where it waits for a decision */
export function closing(
  result: Exclude<Result, { kind: 'proposal' }>,
  pause: Pause | null,
  open: Pick<Plan, 'id' | 'status'> | null,
): Closing {
  const after = (event: RunEvent) => nextRunStatus('running', event);
  switch (result.kind) {
    case 'answer':
    case 'cannot': {
      const waits = open !== null || (pause !== null && pause.kind !== 'plan');
      if (!waits) {
        return { planning_status: after('answer'), response_text: result.text, pause: null };
      }
      const event = pause?.kind === 'escalation' ? 'escalate' : 'answer_beside_plan';
      return { planning_status: after(event), response_text: beside(result.text, pause, open) };
    }
    case 'question':
      return {
        planning_status: after('ask'),
        response_text: result.text,
        questions: result.questions,
      };
    case 'gate':
      return { planning_status: after('ask'), response_text: result.text };
    case 'rfc':
      return {
        planning_status: after('ask'),
        response_text: result.text,
        escalate_reason: `A pattern that is new waits for approval: ${result.rfc}`,
      };
    case 'escalation':
      return {
        planning_status: after('escalate'),
        response_text: result.text,
        escalate_reason: result.infeasible.reason,
      };
    case 'aborted':
      return {
        planning_status: after('give_up'),
        response_text: result.text,
        escalate_reason: result.reason,
      };
    default:
      return result satisfies never;
  }
}

/** What the message of a turn that proposes nothing says, as data. @param text as `closing` has it */
export function partsOf(
  result: Exclude<Result, { kind: 'proposal' }>,
  pause: Pause | null,
  text: string,
): MessageParts {
  const lines = text.split('\n').map((one) => ({ text: one }));
  const action = null;
  switch (result.kind) {
    case 'answer':
    case 'cannot': {
      const questions = result.kind === 'answer' ? (result.asked ?? []) : [];
      return { kind: 'answer', facts: { lines, questions }, action };
    }
    case 'question': {
      const questions = nameQuestions(result.questions, result.question_ids);
      return {
        kind: pause?.kind === 'budget' ? 'budget' : 'question',
        facts: { lines, questions },
        action,
      };
    }
    case 'gate':
    case 'rfc':
    case 'escalation':
    case 'aborted':
      return { kind: result.kind, facts: { lines }, action };
    default:
      return result satisfies never;
  }
}

export function hasEnded(outcome: PlanningOutcome): outcome is Ended {
  return outcome.result.kind !== 'superseded';
}
