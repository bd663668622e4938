// The lifecycle of a planning run as one table: (planning_status, event) → planning_status. ARCHITECTURE.md prints it.
import { CountersignError } from '#domain/errors.ts';
import type { PlanningStatus } from '#domain/planning/run.ts';
import { quoteWords } from '#domain/shown-text.ts';

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
