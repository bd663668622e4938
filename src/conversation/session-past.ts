// A session's card as of an earlier turn.
import { readTextsAround } from '#db/chat/messages.ts';
import type { Queryable } from '#db/database.ts';
import { readTurnState } from '#db/planning/checkpoints.ts';
import { type RunRow, readRun } from '#db/planning/runs.ts';
import type { SessionCardFacts, SessionOver } from '#domain/chat/session-card.ts';
import type { PlanningStatus } from '#domain/planning/run.ts';
import type { PlanningState, SessionDecision } from '#domain/planning/state.ts';
import type { ConversationContext } from '#messages/context.ts';
import { nameOnSession } from '#people/people-named.ts';
import { describeRun, readRunCard } from './session-card.ts';

export type TurnMessage = {
  run_id: string;
  turn: number;
  message: { id: number; conversation: string; text: string };
};

type Past = { session: PlanningState; request: string; over: SessionOver };

function statusOf({ pause, result }: PlanningState): PlanningStatus {
  if (pause?.kind === 'escalation') return 'needs_scheduling_escalation';
  if (pause !== null) return 'needs_clarification';
  return result?.kind === 'aborted' ? 'aborted' : 'complete';
}

/** For older turns only that there was a message. */
function decisionAfter(run: RunRow, turn: number): SessionDecision {
  return run.turn === turn + 1 && run.decision !== null ? run.decision : { kind: 'said' };
}

async function readPast(
  db: Queryable,
  run: RunRow,
  { turn, message }: TurnMessage,
): Promise<Past | null> {
  const session = await readTurnState(db, run.id, turn);
  if (session === null) return null;
  const { before, after } = await readTextsAround(db, run.id, message);
  const decision = decisionAfter(run, turn);
  const by = decision.kind === 'said' ? (after?.name ?? null) : decision.by;
  return {
    session,
    request: before ?? run.request,
    over: { kind: decision.kind, by, at: after?.created_at ?? null, reply: after?.text },
  };
}

/** As it was, once the session has moved on. @returns null if nothing was kept @throws `run_not_found` */
export async function readTurnCard(
  context: ConversationContext,
  turn: TurnMessage,
  viewer: { user: string; timezone: string },
): Promise<SessionCardFacts | null> {
  const db = context.db.query;
  const run = await readRun(db, turn.run_id);
  if (run.turn <= turn.turn) return readRunCard(context, run.id, viewer);
  const past = await readPast(db, run, turn);
  if (past === null) return null;
  const { session, request, over } = past;
  const then: RunRow = {
    ...run,
    turn: turn.turn,
    planning_status: statusOf(session),
    pause: session.pause,
    pattern: session.pattern,
    rfc: session.rfc,
    request,
    decision: null,
    response_text: turn.message.text,
    questions:
      session.result?.kind === 'question' ? session.result.questions.map(({ text }) => text) : null,
    escalate_reason: null,
  };
  return nameOnSession(db, { ...(await describeRun(context, then, session, viewer)), over });
}
