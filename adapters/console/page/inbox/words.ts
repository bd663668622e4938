// Plans of the inbox in a symbol and words; the colour is never the only sign.
import { cleanLine, showRequester } from '#cards/plain.ts';
import type { Tone } from '#cards/view.ts';
import type { InboxGroup, InboxPlan } from '#domain/plan/inbox.ts';
import type { PlanStatus } from '#domain/plan/plan.ts';

type Words = { symbol: string; words: string; tone: Tone };

export const groupNames: Record<InboxGroup, string> = {
  needs_you: 'Needs you',
  running: 'Running',
  failed: 'Failed',
  others: 'Others’',
  done: 'Done',
};

const waitingWords: Record<NonNullable<InboxPlan['waits']>, Words> = {
  approval: { symbol: '◷', words: 'Your approval', tone: 'accent' },
  change: { symbol: '◷', words: 'A change to approve', tone: 'accent' },
  task: { symbol: '☐', words: 'Your task', tone: 'warning' },
  outcome: { symbol: '?', words: 'A decision', tone: 'warning' },
  problem: { symbol: '△', words: 'A decision', tone: 'warning' },
};

const statusWords: Record<PlanStatus, Words> = {
  proposed: { symbol: '◷', words: 'Waiting', tone: 'default' },
  needs_review: { symbol: '◷', words: 'Needs review', tone: 'warning' },
  approved: { symbol: '▸', words: 'Starting', tone: 'accent' },
  executing: { symbol: '▸', words: 'Running', tone: 'accent' },
  stalled: { symbol: '△', words: 'Stalled', tone: 'warning' },
  completed: { symbol: '✓', words: 'Done', tone: 'good' },
  failed: { symbol: '✕', words: 'Failed', tone: 'attention' },
  rejected: { symbol: '⊘', words: 'Rejected', tone: 'default' },
  cancelled: { symbol: '■', words: 'Cancelled', tone: 'default' },
};

/** What a plan waits for where that is the reader, and how it stands otherwise. */
export function describeEntry({ waits, status, revising, paused }: InboxPlan): Words {
  if (waits !== null) return waitingWords[waits];
  if (revising) return { symbol: '⟳', words: 'Revising', tone: 'accent' };
  if (status === 'executing' && paused) return { symbol: '‖', words: 'Paused', tone: 'warning' };
  return statusWords[status];
}

export type EntryProgress = { ended: number; total: number };

/** How far a plan is; null: it does not run. */
export function progressOf({
  status,
  counts,
  total_steps: total,
}: InboxPlan): EntryProgress | null {
  const runs = status === 'approved' || status === 'executing' || status === 'stalled';
  return runs && total > 0 ? { ended: counts.succeeded, total } : null;
}

/** Since when it is as it is. */
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

export function titleOf({ title, id }: Pick<InboxPlan, 'title' | 'id'>): string {
  return cleanLine(title) || id;
}

/** The page has no login; the server calls its person so. */
export function requesterOf(plan: InboxPlan): string {
  return plan.requester === 'local' ? 'You' : showRequester(plan);
}

/** What the browser shows on its tab: how many plans wait for the reader, and the plan that is open. */
export function describePage(
  waiting: number,
  open: { title: string; state: string } | null,
): string {
  const count = waiting === 0 ? '' : `(${waiting.toLocaleString('en-US')}) `;
  return `${count}${open === null ? '' : `${open.title} · ${open.state} · `}Countersign`;
}
