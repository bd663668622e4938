// A request comes in: the run, what was said and the planner's job are stored together.
import type { Actor } from '#contracts/actor.ts';
import type { RunRequest } from '#contracts/run.ts';
import type { Transaction } from '#store/database.ts';
import { appendMessage } from '#store/messages.ts';
import { insertRun, type RunRow, updateRun } from '#store/runs.ts';
import type { ConversationContext } from './conversation-context.ts';
import { nextRunStatus } from './run-table.ts';

/** Stores the run and queues its first turn. @returns its id and conversation */
export async function startRun(
  context: ConversationContext,
  request: RunRequest,
  actor: Actor,
): Promise<{ run_id: string; conversation: string }> {
  const id = `run-${context.random.hex(8)}`;
  const conversation = request.conversation ?? `conv-${context.random.hex(6)}`;
  const { plan_reasoning_mode, planning_mode, reasoning_level } = request;
  await context.db.transaction(async (tx) => {
    await insertRun(tx, {
      id,
      user: request.user ?? actor.id,
      via: actor.via,
      conversation,
      planning_status: 'running',
      request: request.text,
      modes: {
        plan_reasoning_mode: plan_reasoning_mode ?? context.modes.plan_reasoning_mode,
        planning_mode: planning_mode ?? context.modes.planning_mode,
        reasoning_level: reasoning_level ?? context.modes.reasoning_level,
      },
      policy: request.interaction_policy ?? {},
    });
    await appendMessage(tx, {
      conversation,
      author: 'person',
      name: request.user ?? actor.id,
      text: request.text,
      runId: id,
    });
    await context.enqueue(tx, 'plan', { run_id: id, turn: 1 }, { key: `${id}:1` });
  });
  return { run_id: id, conversation };
}

/** Queues the next turn of a run the caller has locked. Whatever the planner of an earlier turn still says is ignored. */
export async function queueTurn(
  context: ConversationContext,
  tx: Transaction,
  run: RunRow,
  text: string,
): Promise<void> {
  const turn = run.turn + 1;
  await updateRun(tx, run.id, {
    turn,
    tries: 0,
    request: text,
    planning_status: nextRunStatus(run.planning_status, 'talk'),
    questions: null,
    escalate_reason: null,
  });
  await context.enqueue(tx, 'plan', { run_id: run.id, turn }, { key: `${run.id}:${turn}` });
}
