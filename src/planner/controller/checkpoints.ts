// Planning sessions, checkpointed in Postgres after each transition (B10).
import type { Queryable } from '#db/database.ts';
import { forgetStates, insertCheckpoint, readLatestCheckpoint } from '#db/planning/checkpoints.ts';
import type { PlanningRequest } from '#domain/planning/run.ts';
import type { Stage, StageEvent } from '#domain/planning/stages.ts';
import type { Pause, PlanningState } from '#domain/planning/state.ts';
import { isResting } from '../stages/table.ts';
import { invalidates } from '../tool.ts';

type Transition = { from: Stage; event: StageEvent };

export type Checkpoints = {
  /** Null if there is none, or one of an older shape. */
  read(runId: string): Promise<{ state: PlanningState; seq: number } | null>;
  /** @returns null if another planner continued from `seq` */
  append(state: PlanningState, transition: Transition | null, seq: number): Promise<number | null>;
};

/**
 * Skips a number taken by a late planner of an earlier turn.
 * @returns null if this or a later turn has another planner
 */
async function append(
  db: Queryable,
  state: PlanningState,
  transition: Transition | null,
  after: number,
): Promise<number | null> {
  const closes = isResting(state.stage);
  for (let seq = after + 1; ; ) {
    if (await insertCheckpoint(db, { state, seq, transition, closes })) return seq;
    const latest = await readLatestCheckpoint(db, state.run_id);
    if (latest === null || latest.turn >= state.turn) return null;
    seq = latest.seq + 1;
  }
}

export function keepInDatabase(
  db: Queryable,
  warn: (message: string, error?: unknown) => void,
): Checkpoints {
  /** Sessions with unreadable checkpoints restart. */
  const unread = new Map<string, number>();
  return {
    async read(runId) {
      const row = await readLatestCheckpoint(db, runId);
      if (row === null) return null;
      if (row.state.success) return { state: row.state.data, seq: row.seq };
      warn(
        `The planning session of run ${runId} has an unknown format, so planning starts again.`,
        row.state.error,
      );
      unread.set(runId, row.seq);
      return null;
    },
    async append(state, transition, seq) {
      const begun = seq === 0 ? unread.get(state.run_id) : undefined;
      unread.delete(state.run_id);
      const stored = await append(db, state, transition, begun ?? seq);
      // An interrupted earlier turn left its states behind.
      if (stored !== null && opensTurn(transition, stored)) await forgetStates(db, state);
      return stored;
    },
  };
}

function opensTurn(transition: Transition | null, seq: number): boolean {
  return seq > 1 && (transition === null || isResting(transition.from));
}

function threadOf({ user, goal = 'new' }: PlanningRequest): string {
  return `user_${user}:${goal}`;
}

function beginTurn(request: PlanningRequest, now: Date) {
  return {
    thread_id: threadOf(request),
    turn: request.turn,
    now: now.toISOString(),
    timezone: request.timezone,
    has_plans: request.plans !== undefined || /\bPLAN-[0-9a-f]{8}\b/i.test(request.text),
    has_files: request.files !== undefined || request.thread?.files === true,
    calls: 0,
    cost_usd: 0,
    today_usd: request.todayUsd ?? 0,
    soft_budget_lifted: request.softLifted ?? false,
    retries: {},
    hints: [],
    assumed: [],
    result: null,
    wish: null,
    memory: request.memory === undefined ? null : { known: request.memory, keep: [] },
    reason: null,
    joined: [],
    trace: [],
    ...(request.thread === undefined ? {} : { thread: request.thread }),
  };
}

export function startSession(request: PlanningRequest, now: Date): PlanningState {
  return {
    ...beginTurn(request, now),
    run_id: request.runId,
    stage: 'COLLECT_CONTEXT',
    reads: [],
    found: [],
    pattern: null,
    rfc: null,
    outline: null,
    roadmap: null,
    schedule: null,
    portfolio: null,
    approvals: {},
    change: null,
    confidence: {},
    produced: [],
    offered: [],
    questions_asked: 0,
    pause: null,
    earlier_usd: 0,
  };
}

/** The change is still due after a question about it. */
function leavesChange(pause: Pause | null): boolean {
  return pause?.kind === 'questions' || pause?.kind === 'budget' || pause?.kind === 'rfc';
}

export function nextTurn(state: PlanningState, request: PlanningRequest, now: Date): PlanningState {
  return {
    ...state,
    ...beginTurn(request, now),
    earlier_usd: state.earlier_usd + state.cost_usd,
    change: leavesChange(state.pause) ? state.change : null,
  };
}

type Continuation = {
  event: StageEvent;
  changes: Partial<
    Pick<
      PlanningState,
      | 'soft_budget_lifted'
      | 'reads'
      | 'rfc'
      | 'change'
      | 'pause'
      | 'outline'
      | 'roadmap'
      | 'schedule'
      | 'pattern'
      | 'produced'
      | 'approvals'
      | 'questions_asked'
      | 'offered'
      | 'hints'
      | 'assumed'
      | 'refusals'
      | 'target'
      | 'result'
      | 'reason'
    >
  >;
};

const resumeEvents: Partial<Record<Stage, StageEvent>> = {
  COLLECT_CONTEXT: 'resume_context',
  DRAFT_OUTLINE: 'resume_outline',
  VALIDATE_OUTLINE: 'resume_outline',
  DRAFT_ROADMAP: 'resume_roadmap',
  VALIDATE_ROADMAP: 'resume_roadmap',
  DRAFT_SCHEDULE: 'resume_schedule',
  VALIDATE_SCHEDULE: 'resume_schedule',
  SEEK_APPROVAL: 'decide',
};

export const planPause: Pause = { kind: 'plan', resume: 'SEEK_APPROVAL', gate: null, digest: null };

const fresh: Continuation['changes'] = {
  rfc: null,
  change: null,
  pause: null,
  reads: [],
  pattern: null,
  outline: null,
  roadmap: null,
  schedule: null,
  produced: [],
  approvals: {},
  offered: [],
  questions_asked: 0,
  refusals: 0,
  target: null,
};

function resume(state: PlanningState): StageEvent {
  return resumeEvents[state.pause?.resume ?? 'COLLECT_CONTEXT'] ?? 'resume_context';
}

/** Restores the pause after a question about feedback. */
function standAgain({ pause }: PlanningState): Pause | null {
  if (pause?.resume !== 'SEEK_APPROVAL') return null;
  return pause.gate === null ? planPause : { ...pause, kind: 'gate', digest: null };
}

/** Drafts again with the answer. */
function reopen(state: PlanningState): Continuation['changes'] {
  const { pause } = state;
  const drafts = pause?.resume === 'DRAFT_OUTLINE' || pause?.resume === 'VALIDATE_OUTLINE';
  return drafts ? withoutOutline(state) : {};
}

function withoutOutline({ produced }: PlanningState): Continuation['changes'] {
  const gone = new Set<string>(['outline', ...invalidates.outline]);
  return { produced: produced.filter((product) => !gone.has(product)) };
}

/** An answer about order or times is feedback. */
function changeDraft(state: PlanningState, text: string): Continuation {
  const before = state.change === null ? '' : `${state.change.feedback}\n`;
  const feedback = `${before}${text}`.slice(0, 10_000);
  return {
    event: 'decide',
    changes: { change: { feedback, gate: null }, pause: standAgain(state) ?? planPause },
  };
}

const answersDraft: ReadonlySet<Stage> = new Set([
  'DRAFT_ROADMAP',
  'VALIDATE_ROADMAP',
  'DRAFT_SCHEDULE',
  'VALIDATE_SCHEDULE',
  // Earlier versions asked what feedback concerns.
  'SEEK_APPROVAL',
]);

/** The pending question, not the refused plan, is the subject. */
export function hasTakenIn(
  { pause, refusals }: Pick<PlanningState, 'pause' | 'refusals'>,
  revision: NonNullable<PlanningRequest['revision']>,
): boolean {
  return pause !== null && pause.kind !== 'plan' && refusals === revision.feedback.length;
}

function stop(by: string): Continuation {
  const reason = `${by} stopped planning`;
  const text = 'Planning has stopped and nothing will run. Ask again when you need something else.';
  return {
    event: 'rejected',
    changes: { pause: null, result: { kind: 'aborted', text, reason }, reason },
  };
}

/** Maps the person's input to an event for a paused session. */
export function continueSession(state: PlanningState, request: PlanningRequest): Continuation {
  const { decision, revision, text } = request;
  const { rfc } = state;
  const pause: Pause | null = state.pause;
  const feedback =
    decision.kind === 'changes' ? decision.feedback : (revision?.feedback.at(-1) ?? null);
  if (feedback !== null && state.outline !== null && pause?.kind !== 'rfc') {
    const change = { feedback, gate: null };
    const shown = pause?.kind === 'gate' ? pause : planPause;
    return { event: 'decide', changes: { change, pause: shown, questions_asked: 0 } };
  }
  if (decision.kind === 'said' && decision.joins === true)
    return { event: 'resume_context', changes: { pause: null, ...withoutOutline(state) } };
  if (pause === null) return { event: 'new_request', changes: fresh };
  switch (pause.kind) {
    case 'answer':
      // Unconfirmed decisions are not answered; other messages are new requests.
      if (decision.kind === 'reject') return stop(decision.by);
      return { event: 'new_request', changes: fresh };
    case 'plan':
      // The plan waits on its card; other messages are new requests.
      return { event: 'new_request', changes: fresh };
    case 'questions':
      if (decision.kind === 'reject') return stop(decision.by);
      if (state.outline !== null && answersDraft.has(pause.resume)) return changeDraft(state, text);
      return { event: resume(state), changes: { pause: standAgain(state), ...reopen(state) } };
    case 'gate':
      return decision.kind === 'approve' || decision.kind === 'reject'
        ? { event: 'decide', changes: {} }
        : { event: 'resume_context', changes: {} };
    case 'rfc':
      if (rfc === null) return { event: 'resume_context', changes: { pause: null } };
      // Messages next to a proposal decide nothing.
      return { event: decision.kind === 'said' ? 'resume_context' : 'decide', changes: {} };
    case 'budget':
      if (decision.kind === 'reject') return stop(decision.by);
      return {
        event: resume(state),
        changes: { pause: standAgain(state), soft_budget_lifted: decision.kind === 'approve' },
      };
    case 'escalation':
      return decision.kind === 'reject' ? stop(decision.by) : changeDraft(state, text);
    default:
      return pause.kind satisfies never;
  }
}
