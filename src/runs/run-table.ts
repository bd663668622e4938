// A planning run's lifecycle as a table, which ARCHITECTURE.md prints.
import type { Transaction } from '#db/database.ts';
import type { RunRow } from '#db/planning/runs.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { CountersignError } from '#domain/errors.ts';
import type { PlanningStatus } from '#domain/planning/run.ts';
import { quoteWords } from '#domain/shown-text.ts';
import type { ConversationContext } from '#messages/context.ts';
import { speakAsBot } from '#messages/store-message.ts';

export const runEvents = [
  'answer',
  'answer_beside_plan',
  'propose',
  'ask',
  'escalate',
  'give_up',
  'stop',
  'talk',
  'decide',
] as const;
export type RunEvent = (typeof runEvents)[number];

export const runLifecycle: Record<PlanningStatus, Partial<Record<RunEvent, PlanningStatus>>> = {
  running: {
    answer: 'complete',
    answer_beside_plan: 'needs_clarification',
    propose: 'needs_clarification',
    ask: 'needs_clarification',
    escalate: 'needs_scheduling_escalation',
    give_up: 'aborted',
    stop: 'aborted',
    talk: 'running',
    decide: 'complete',
  },
  needs_clarification: { talk: 'running', decide: 'complete' },
  needs_scheduling_escalation: { talk: 'running', decide: 'complete' },
  complete: { talk: 'running', decide: 'complete' },
  aborted: { talk: 'running', decide: 'complete' },
};

/** @throws CountersignError `invalid_transition` that names the current status */
export function nextRunStatus(status: PlanningStatus, event: RunEvent): PlanningStatus {
  const next = runLifecycle[status][event];
  if (next !== undefined) return next;
  throw new CountersignError(
    'invalid_transition',
    `This run is ${status.replaceAll('_', ' ')}; ${quoteWords(event.replaceAll('_', ' '), 40)} does not fit it.`,
    { details: { status, event } },
  );
}

export function nothingWaits(run: Pick<RunRow, 'planning_status'>, text: string) {
  return {
    planning_status: nextRunStatus(run.planning_status, 'decide'),
    response_text: text,
    response_message: null,
    questions: null,
    pause: null,
  } satisfies Partial<RunRow>;
}

/** As before the change request. */
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

/** @param by who withdrew the changes, or null if they failed */
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
