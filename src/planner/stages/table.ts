// The session's state machine: (stage, event) → stage (B2).
import { CountersignError } from '#domain/errors.ts';
import type { Stage, StageEvent } from '#domain/planning/stages.ts';
import { quoteWords } from '#domain/shown-text.ts';

export const resting = [
  'COMPLETE',
  'NEEDS_CLARIFICATION',
  'NEEDS_SCHED_ESCALATION',
  'ABORTED',
] as const satisfies Stage[];
export type Resting = (typeof resting)[number];

export function isResting(stage: Stage): stage is Resting {
  return (resting as readonly Stage[]).includes(stage);
}

/** Events from people, the same in every resting stage. */
const spoken: Partial<Record<StageEvent, Stage>> = {
  new_request: 'COLLECT_CONTEXT',
  resume_context: 'COLLECT_CONTEXT',
  resume_outline: 'DRAFT_OUTLINE',
  resume_roadmap: 'DRAFT_ROADMAP',
  resume_schedule: 'DRAFT_SCHEDULE',
  decide: 'SEEK_APPROVAL',
};

const failing: Partial<Record<StageEvent, Stage>> = {
  needs_clarification: 'NEEDS_CLARIFICATION',
  cap_reached: 'ABORTED',
  fatal_error: 'ABORTED',
};

export const sessionLifecycle: Record<Stage, Partial<Record<StageEvent, Stage>>> = {
  COLLECT_CONTEXT: {
    sufficient_context: 'DRAFT_OUTLINE',
    answered: 'COMPLETE',
    low_confidence: 'COLLECT_CONTEXT',
    ...failing,
  },
  DRAFT_OUTLINE: {
    drafted: 'VALIDATE_OUTLINE',
    answered: 'COMPLETE',
    low_confidence: 'COLLECT_CONTEXT',
    ...failing,
  },
  VALIDATE_OUTLINE: {
    valid: 'DRAFT_ROADMAP',
    needs_approval: 'SEEK_APPROVAL',
    invalid_retryable: 'DRAFT_OUTLINE',
    ...failing,
  },
  DRAFT_ROADMAP: { drafted: 'VALIDATE_ROADMAP', low_confidence: 'DRAFT_ROADMAP', ...failing },
  VALIDATE_ROADMAP: {
    valid: 'DRAFT_SCHEDULE',
    needs_approval: 'SEEK_APPROVAL',
    invalid_retryable: 'DRAFT_ROADMAP',
    ...failing,
  },
  DRAFT_SCHEDULE: {
    drafted: 'VALIDATE_SCHEDULE',
    low_confidence: 'DRAFT_SCHEDULE',
    infeasible: 'NEEDS_SCHED_ESCALATION',
    ...failing,
  },
  VALIDATE_SCHEDULE: {
    valid: 'SEEK_APPROVAL',
    invalid_retryable: 'DRAFT_SCHEDULE',
    infeasible: 'NEEDS_SCHED_ESCALATION',
    ...failing,
  },
  SEEK_APPROVAL: {
    no_response: 'NEEDS_CLARIFICATION',
    approved: 'COMPLETE',
    // A refused pattern is chosen again.
    resume_context: 'COLLECT_CONTEXT',
    outline_approved: 'DRAFT_ROADMAP',
    roadmap_approved: 'DRAFT_SCHEDULE',
    schedule_approved: 'SEEK_APPROVAL',
    change_outline: 'DRAFT_OUTLINE',
    change_roadmap: 'DRAFT_ROADMAP',
    change_schedule: 'DRAFT_SCHEDULE',
    rejected: 'ABORTED',
    ...failing,
  },
  COMPLETE: spoken,
  NEEDS_CLARIFICATION: { ...spoken, rejected: 'ABORTED' },
  NEEDS_SCHED_ESCALATION: { ...spoken, rejected: 'ABORTED' },
  ABORTED: spoken,
};

/** @throws CountersignError `internal` for an unknown transition */
export function nextStage(stage: Stage, event: StageEvent): Stage {
  const next = sessionLifecycle[stage][event];
  if (next !== undefined) return next;
  throw new CountersignError(
    'internal',
    `A planning session in ${stage} knows no ${quoteWords(event, 80)}.`,
    {
      details: { stage, event },
    },
  );
}
