// A plan's lifecycle: (status, event) → status; printed in ARCHITECTURE.md.
import { CountersignError } from '#domain/errors.ts';
import type { PlanStatus } from '#domain/plan/plan.ts';

export const planEvents = [
  'approve',
  'reject',
  'request_changes',
  'escalate',
  'revise',
  'keep',
  'start',
  'complete',
  'fail',
  'stall',
  'resume',
  'retry',
  'continue',
  'cancel',
  'expire',
] as const;
export type PlanEvent = (typeof planEvents)[number];

export const lifecycle: Record<PlanStatus, Partial<Record<PlanEvent, PlanStatus>>> = {
  proposed: {
    approve: 'approved',
    reject: 'rejected',
    request_changes: 'rejected',
    escalate: 'needs_review',
    // By words, without a refusal.
    revise: 'proposed',
    cancel: 'cancelled',
    expire: 'cancelled',
  },
  approved: { start: 'executing', fail: 'failed', cancel: 'cancelled' },
  executing: { complete: 'completed', fail: 'failed', stall: 'stalled', cancel: 'cancelled' },
  // Waits while a new version is made.
  rejected: {
    request_changes: 'rejected',
    revise: 'proposed',
    keep: 'proposed',
    cancel: 'cancelled',
    expire: 'cancelled',
  },
  needs_review: {
    approve: 'approved',
    reject: 'rejected',
    revise: 'needs_review',
    cancel: 'cancelled',
    expire: 'cancelled',
  },
  // `continue`: an approved change has work left.
  stalled: { resume: 'executing', continue: 'executing', fail: 'failed', cancel: 'cancelled' },
  failed: {
    retry: 'executing',
    resume: 'executing',
    continue: 'executing',
    cancel: 'cancelled',
  },
  completed: { continue: 'executing' },
  cancelled: {},
};

const verbs: Record<PlanEvent, string> = {
  approve: 'approved',
  reject: 'rejected',
  request_changes: 'sent back for changes',
  escalate: 'put up for review',
  revise: 'revised',
  keep: 'kept as it was',
  start: 'started',
  complete: 'completed',
  fail: 'marked failed',
  stall: 'marked stalled',
  resume: 'resumed',
  retry: 'retried',
  continue: 'continued',
  cancel: 'cancelled',
  expire: 'expired',
};

export const statusWords: Record<PlanStatus, string> = {
  proposed: 'waiting for approval',
  approved: 'approved',
  executing: 'running',
  completed: 'completed',
  failed: 'failed',
  rejected: 'rejected',
  cancelled: 'cancelled',
  stalled: 'stalled',
  needs_review: 'waiting for review',
};

export function sourcesOf(event: PlanEvent): PlanStatus[] {
  return (Object.keys(lifecycle) as PlanStatus[]).filter(
    (status) => lifecycle[status][event] !== undefined,
  );
}

/** @throws `invalid_transition` naming the status */
export function nextStatus(status: PlanStatus, event: PlanEvent): PlanStatus {
  const next = lifecycle[status][event];
  if (next === undefined) throw notPossible(status, event);
  return next;
}

export function notPossible(status: PlanStatus, event: PlanEvent): CountersignError {
  return new CountersignError(
    'invalid_transition',
    `This plan is ${statusWords[status]} (${status}), so it can't be ${verbs[event]}.`,
    { details: { status, event } },
  );
}

export function mayBeApproved(status: PlanStatus): boolean {
  return lifecycle[status].approve !== undefined;
}

/** No step can run, unless a change is approved. */
export function isTerminal(status: PlanStatus): boolean {
  return Object.keys(lifecycle[status]).every((event) => event === 'continue');
}
