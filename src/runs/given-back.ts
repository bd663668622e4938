// The state of a plan's run when a requested change came to nothing: decided or waiting again, with a message.
import type { Transaction } from '#db/database.ts';
import type { RunRow } from '#db/planning/runs.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import type { ConversationContext } from '#messages/context.ts';
import { speakAsBot } from '#messages/speak.ts';
import { nextRunStatus } from './run-table.ts';

/** Nothing in the run waits any more. @param text its final message */
export function nothingWaits(run: Pick<RunRow, 'planning_status'>, text: string) {
  return {
    planning_status: nextRunStatus(run.planning_status, 'decide'),
    response_text: text,
    response_message: null,
    questions: null,
    pause: null,
  } satisfies Partial<RunRow>;
}

/** The run waits for the decision on its plan, as before the change request. */
export function waitsAgain(run: Pick<RunRow, 'planning_status'>) {
  const ends = run.planning_status === 'running';
  return {
    planning_status: ends
      ? nextRunStatus(run.planning_status, 'answer_beside_plan')
      : ('needs_clarification' as const),
    pause: { kind: 'plan', resume: 'SEEK_APPROVAL', gate: null, digest: null },
    questions: null,
    escalate_reason: null,
  } satisfies Partial<RunRow>;
}

/** Shows the waiting plan again. @param by who withdrew the changes, or null if they failed */
export async function tellGivenBack(
  context: ConversationContext,
  tx: Transaction,
  { id: runId, turn, conversation }: RunRow,
  { id, title, version }: Pick<PlanRow, 'id' | 'title' | 'version'>,
  by: string | null = null,
): Promise<void> {
  await speakAsBot(context, tx, {
    conversation,
    says: {
      kind: 'notice',
      facts: { code: 'given_back', plan_id: id, title, version, by },
      action: null,
    },
    runId,
    planId: id,
    once: `${runId}:${turn}:given_back`,
  });
}
