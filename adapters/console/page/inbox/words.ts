// Inbox plans as symbol and words; colour is never alone.
import type { Tone } from '#cards/view.ts';
import { statusSymbols, statusWords } from '#cards/words.ts';
import type { InboxPlan } from '#domain/plan/inbox.ts';
import type { PlanStatus } from '#domain/plan/plan.ts';
import { capitalise } from '#domain/words.ts';
import type { Words } from '../plan/words.ts';

const waitingWords: Record<NonNullable<InboxPlan['waits']>, Words> = {
  approval: { symbol: '◷', words: 'Your approval', tone: 'accent' },
  change: { symbol: '◷', words: 'A change to approve', tone: 'accent' },
  task: { symbol: '☐', words: 'Your task', tone: 'warning' },
  outcome: { symbol: '?', words: 'A decision', tone: 'warning' },
  problem: { symbol: '△', words: 'A decision', tone: 'warning' },
};

const statusTones: Record<PlanStatus, Tone> = {
  proposed: 'default',
  needs_review: 'warning',
  approved: 'accent',
  executing: 'accent',
  stalled: 'warning',
  completed: 'good',
  failed: 'attention',
  rejected: 'default',
  cancelled: 'default',
};

/** The reader's next action, else the status. */
export function describeEntry({ waits, status, revising, paused }: InboxPlan): Words {
  if (waits === 'outcome' && revising)
    return { symbol: '?', words: 'A question about your changes', tone: 'warning' };
  if (waits !== null) return waitingWords[waits];
  if (revising) return { symbol: '⟳', words: 'Revising', tone: 'accent' };
  if (status === 'executing' && paused) return { symbol: '‖', words: 'Paused', tone: 'warning' };
  return {
    symbol: statusSymbols[status],
    words: capitalise(statusWords[status]),
    tone: statusTones[status],
  };
}

export type EntryProgress = { ended: number; total: number };

/** Null unless running to an end. */
export function progressOf({
  status,
  counts,
  total_steps: total,
  repeats,
}: InboxPlan): EntryProgress | null {
  const runs = status === 'approved' || status === 'executing' || status === 'stalled';
  return runs && total > 0 && repeats === undefined ? { ended: counts.succeeded, total } : null;
}

export function sinceWhen(plan: InboxPlan): string {
  const { status, created_at, updated_at, decided_at, waits_since } = plan;
  if (waits_since !== null) return waits_since;
  switch (status) {
    case 'proposed':
    case 'needs_review':
      return created_at;
    case 'approved':
    case 'executing':
    case 'stalled':
      return plan.execution_started_at ?? updated_at;
    case 'completed':
    case 'failed':
      return plan.execution_ended_at ?? updated_at;
    case 'rejected':
    case 'cancelled':
      return decided_at ?? updated_at;
    default:
      return status satisfies never;
  }
}

/** The tab's title. */
export function describePage(
  waiting: number,
  open: { title: string; state: string } | null,
): string {
  const count = waiting === 0 ? '' : `(${waiting.toLocaleString('en-US')}) `;
  return `${count}${open === null ? '' : `${open.title} · ${open.state} · `}Countersign`;
}
