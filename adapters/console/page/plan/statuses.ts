// Step statuses in a reader's order.
import type { StepCounts, StepStatus } from '#domain/plan/plan.ts';

export const statusOrder: StepStatus[] = [
  'succeeded',
  'failed',
  'unknown',
  'running',
  'waiting',
  'stale',
  'ready',
  'pending',
  'skipped',
  'cancelled',
];

export type Share = { status: StepStatus; count: number; from: number; width: number };

/** In percent, side by side from 0. */
export function shareCounts(counts: StepCounts): Share[] {
  const total = statusOrder.reduce((sum, status) => sum + counts[status], 0);
  const shares: Share[] = [];
  let from = 0;
  for (const status of statusOrder) {
    const count = counts[status];
    if (count === 0) continue;
    const width = (count / total) * 100;
    shares.push({ status, count, from, width });
    from += width;
  }
  return shares;
}
