// Planning stages, events and confidence in words.
import type { Stage, StageEvent } from '#domain/planning/stages.ts';
import type { Adaptation, Confidence } from '#domain/planning/trace.ts';
import { cleanLine } from '#domain/shown-text.ts';
import { confidenceWord, formatCost } from './words.ts';

const stages: Record<Stage, string> = {
  COLLECT_CONTEXT: 'Collect context',
  DRAFT_OUTLINE: 'Draft the outline',
  VALIDATE_OUTLINE: 'Check the outline',
  DRAFT_ROADMAP: 'Draft the roadmap',
  VALIDATE_ROADMAP: 'Check the roadmap',
  DRAFT_SCHEDULE: 'Draft the schedule',
  VALIDATE_SCHEDULE: 'Check the schedule',
  SEEK_APPROVAL: 'Ask for approval',
  COMPLETE: 'Complete',
  NEEDS_CLARIFICATION: 'Waiting for a person',
  NEEDS_SCHED_ESCALATION: 'Needs more time or less work',
  ABORTED: 'Stopped',
};

const events: Record<StageEvent, string> = {
  sufficient_context: 'enough context',
  drafted: 'drafted',
  valid: 'valid',
  answered: 'answered without a plan',
  low_confidence: 'low confidence, retried',
  invalid_retryable: 'invalid, retried',
  needs_clarification: 'asked a person',
  infeasible: 'does not fit the available time',
  fatal_error: 'failed',
  cap_reached: 'a limit was reached',
  no_response: 'shown to a person',
  needs_approval: 'needs approval',
  approved: 'approved',
  outline_approved: 'outline approved',
  roadmap_approved: 'roadmap approved',
  schedule_approved: 'schedule approved',
  change_outline: 'outline changes requested',
  change_roadmap: 'order changes requested',
  change_schedule: 'schedule changes requested',
  rejected: 'rejected',
  new_request: 'new request',
  resume_context: 'resumed',
  resume_outline: 'resumed',
  resume_roadmap: 'resumed',
  resume_schedule: 'resumed',
  decide: 'a person decided',
};

const adaptations: Record<Adaptation['what'], { symbol: string; word: string }> = {
  added: { symbol: '+', word: 'added' },
  removed: { symbol: '−', word: 'removed' },
  changed: { symbol: '~', word: 'changed' },
  moved: { symbol: '~', word: 'moved' },
  linked: { symbol: '+', word: 'linked' },
  unlinked: { symbol: '−', word: 'unlinked' },
  rescheduled: { symbol: '~', word: 'rescheduled' },
};

const introducers: Record<Adaptation['introduced_by'], string> = {
  system: 'by rule',
  user_feedback: 'after feedback',
  ai_adaptation: 'by the planner',
};

function isStage(name: string): name is Stage {
  return Object.hasOwn(stages, name);
}

/** Unknown ones as they are. */
export function nameStage(stage: string): string {
  return isStage(stage) ? stages[stage] : cleanLine(stage).slice(0, 60);
}

export function nameEvent(event: StageEvent): string {
  return events[event];
}

/** `+`, `added 3 → 5 by rule: a phase comes after the one before` */
export function describeAdaptation(adaptation: Adaptation): { symbol: string; text: string } {
  const { symbol, word } = adaptations[adaptation.what];
  const by = introducers[adaptation.introduced_by];
  return { symbol, text: `${word} ${adaptation.node} ${by}: ${adaptation.why}` };
}

/** `high (0.82)` */
export function describeConfidence(confidence: number): string {
  return `${confidenceWord(confidence)} (${confidence.toFixed(2)})`;
}

/** `own 0.90, rules 0.80, heuristics 0.70` */
export function describeParts({ self, rules, heuristics }: Confidence): string {
  const own = self === null ? 'no self-assessment' : `own ${self.toFixed(2)}`;
  return `${own}, rules ${rules.toFixed(2)}, heuristics ${heuristics.toFixed(2)}`;
}

export function formatCharge(usd: number): string {
  return usd > 0 ? formatCost(usd) : '';
}
