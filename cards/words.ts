// Statuses, counts and amounts in words.
import type { InboxGroup } from '#domain/plan/inbox.ts';
import type { EntryKind } from '#domain/plan/operation-form.ts';
import type { PlanStatus, Step, StepStatus } from '#domain/plan/plan.ts';
import type { RoadmapMetrics } from '#domain/planning/roadmap.ts';
import { countOf } from '#domain/words.ts';
import type { SessionKind, SessionView } from './view.ts';

/** Stored roadmaps keep the older name. */
export const nameWay = (way: string): string => (way === 'as said' ? 'as requested' : way);

export const statusWords: Record<PlanStatus, string> = {
  proposed: 'waiting',
  needs_review: 'needs review',
  stalled: 'stalled',
  approved: 'starting',
  executing: 'running',
  failed: 'failed',
  completed: 'done',
  rejected: 'rejected',
  cancelled: 'cancelled',
};

export const statusSymbols: Record<PlanStatus, string> = {
  proposed: '◷',
  needs_review: '◷',
  stalled: '△',
  approved: '✓',
  executing: '▸',
  failed: '✕',
  completed: '✓',
  rejected: '✕',
  cancelled: '■',
};

export const stepWords: Record<StepStatus, string> = {
  pending: 'not started',
  ready: 'ready',
  running: 'running',
  waiting: 'waiting for a person',
  succeeded: 'done',
  failed: 'failed',
  skipped: 'skipped',
  cancelled: 'not run',
  stale: 'on hold',
  unknown: 'outcome unknown',
};

export const groupTitles: Record<InboxGroup, string> = {
  needs_you: 'Needs you',
  running: 'Running',
  failed: 'Failed',
  others: 'Waiting on others',
  done: 'Done',
};

/** `… and 4 more` */
export function andMore(n: number): string {
  return n > 0 ? `… and ${n.toLocaleString('en-US')} more` : '';
}

/** `$0.02`, `$1.50`; enough digits that nonzero never shows as zero. */
export function formatCost(usd: number): string {
  if (usd > 0 && usd < 0.01) return usd < 0.001 ? 'under $0.001' : `$${usd.toFixed(3)}`;
  return `$${usd.toFixed(2)}`;
}

export function confidenceWord(confidence: number): string {
  if (confidence >= 0.7) return 'high';
  return confidence >= 0.4 ? 'fair' : 'low';
}

/** `how` to ask on this surface. */
export function nothingWaiting(how: string): string {
  return `Nothing is waiting. Ask me for something ${how}.`;
}

/** `retrying at 14:02 (attempt 2 of 3)` @param formatAt ISO 8601 */
export function describeRetry(
  { error, status, available_at }: Pick<Step, 'error' | 'status' | 'available_at'>,
  formatAt: (iso: string) => string,
): string | null {
  if (status !== 'ready' || error?.retry === undefined) return null;
  const { attempt, of } = error.retry;
  const when = available_at === null ? 'soon' : `at ${formatAt(available_at)}`;
  return `retrying ${when} (attempt ${attempt} of ${of})`;
}

const decided = new Set<SessionKind>([
  'outline',
  'roadmap',
  'schedule',
  'rfc',
  'budget',
  'escalation',
  'answer',
]);

export function waitsForDecision({ kind }: Pick<SessionView, 'kind'>): boolean {
  return decided.has(kind);
}

/** Where the type doesn't say so. */
export const entryHints: Partial<Record<EntryKind, string>> = {
  list: 'One per line.',
  pairs: 'One “name: value” per line.',
  json: 'Enter JSON.',
  either: 'Text, or JSON.',
  moment: 'Such as tomorrow at 9:00 or 2026-12-03 09:00.',
};

export const dryRunButton = 'Dry run';

/** A risky step is guarded, or can overwrite or delete. */
export function describeRisks({
  unchecked_writes: writes,
  unguarded: risky,
  checkpoints,
}: RoadmapMetrics): string[] {
  return [
    ...(writes > 0 ? [`${countOf(writes, 'change')} before a check`] : []),
    ...(risky > 0 ? [`${countOf(risky, 'risky step')} without a check first`] : []),
    ...(checkpoints > 0 ? [countOf(checkpoints, 'checkpoint')] : []),
  ];
}
