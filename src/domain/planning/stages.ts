// Stages and events of planning sessions; see `#planner/stages/table.ts`.
import { z } from 'zod';

export const workingStages = [
  'COLLECT_CONTEXT',
  'DRAFT_OUTLINE',
  'VALIDATE_OUTLINE',
  'DRAFT_ROADMAP',
  'VALIDATE_ROADMAP',
  'DRAFT_SCHEDULE',
  'VALIDATE_SCHEDULE',
  'SEEK_APPROVAL',
] as const;

export const Stage = z.enum([
  ...workingStages,
  'COMPLETE',
  'NEEDS_CLARIFICATION',
  'NEEDS_SCHED_ESCALATION',
  'ABORTED',
]);
export type Stage = z.infer<typeof Stage>;

export const StageEvent = z.enum([
  'sufficient_context',
  'drafted',
  'valid',
  'needs_approval',
  'answered',
  'low_confidence',
  'invalid_retryable',
  'needs_clarification',
  'infeasible',
  'fatal_error',
  'cap_reached',
  'no_response',
  'approved',
  'outline_approved',
  'roadmap_approved',
  'schedule_approved',
  'change_outline',
  'change_roadmap',
  'change_schedule',
  'rejected',
  'new_request',
  'resume_context',
  'resume_outline',
  'resume_roadmap',
  'resume_schedule',
  'decide',
]);
export type StageEvent = z.infer<typeof StageEvent>;

/** Artifacts that can need approval before the plan. */
export const Gate = z.enum(['outline', 'roadmap', 'schedule']);
export type Gate = z.infer<typeof Gate>;
