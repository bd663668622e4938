// The state of a plan in a symbol and words. Every status has its own; the switch ends in never.
import type { PlanCardFacts } from '#contracts/card.ts';
import type { PlanStatus } from '#contracts/plan.ts';
import { showLine } from './plain.ts';
import { isViewers, personOf } from './step-lines.ts';
import type { PlanView, Tone } from './view.ts';
import { tellTime } from './words.ts';

type State = { symbol: string; words: string; tone: Tone; open: boolean };

/** Statuses in which a step's question or unknown outcome can still be settled. */
const alive: PlanStatus[] = ['executing', 'stalled', 'approved', 'failed'];

/** Whether steps that wait for a person's word still can be given it. */
export function canSettle(facts: PlanCardFacts): boolean {
  return alive.includes(facts.plan.status);
}

/** `Next on Mon 4 May, 09:30`, and `Next at 14:02` today. */
function viewNext({ now, viewer }: PlanCardFacts, at: string): string {
  const time = tellTime(at, { now, viewer });
  return `Next ${/^\d\d:/.test(time) ? 'at' : 'on'} ${time}`;
}

function viewRunning(facts: PlanCardFacts): State {
  if (facts.unknown.length > 0) {
    return { symbol: '◷', words: 'Waiting for a decision', tone: 'warning', open: true };
  }
  const [waiting] = facts.waiting;
  if (waiting !== undefined) {
    // A call that asks before it is made is nobody's task.
    const person = personOf(waiting, facts) ?? 'a decision';
    const words = isViewers(waiting, facts) ? 'Waiting for you' : `Waiting for ${person}`;
    return { symbol: '◷', words, tone: 'warning', open: true };
  }
  if (facts.patch !== null) {
    const who = facts.patch.may_approve ? 'you' : showLine(facts.patch.approvers, 120);
    return { symbol: '◷', words: `Change waits for ${who}`, tone: 'warning', open: true };
  }
  if (facts.plan.paused) return { symbol: '‖', words: 'Paused', tone: 'warning', open: false };
  const [blocked] = facts.blocked;
  if (blocked !== undefined && facts.plan.counts.running === 0) {
    const what = blocked.kind === 'worker' ? 'a worker' : 'a shared resource';
    return { symbol: '◷', words: `Waiting for ${what}`, tone: 'warning', open: false };
  }
  if (facts.next_at !== null && facts.plan.counts.running === 0) {
    return { symbol: '◷', words: viewNext(facts, facts.next_at), tone: 'default', open: false };
  }
  return { symbol: '▸', words: 'Running', tone: 'accent', open: false };
}

function stateOf(facts: PlanCardFacts): State {
  const { plan } = facts;
  if (plan.revising) {
    return { symbol: '⟳', words: 'Being revised', tone: 'accent', open: false };
  }
  switch (plan.status) {
    case 'proposed': {
      const who = facts.may_approve ? 'you' : showLine(facts.approvers, 120);
      return { symbol: '◷', words: `Waiting for ${who}`, tone: 'accent', open: true };
    }
    case 'needs_review':
      return { symbol: '◷', words: 'Needs a person’s review', tone: 'warning', open: true };
    case 'approved':
      return { symbol: '✓', words: 'Approved, starting', tone: 'accent', open: false };
    case 'executing':
      return viewRunning(facts);
    case 'completed':
      return { symbol: '✓', words: 'Done', tone: 'good', open: false };
    case 'failed':
      return { symbol: '✕', words: 'Failed', tone: 'attention', open: false };
    case 'rejected':
      return { symbol: '✕', words: 'Rejected', tone: 'default', open: false };
    case 'cancelled':
      return { symbol: '■', words: 'Cancelled', tone: 'default', open: false };
    case 'stalled':
      return { symbol: '△', words: 'Stalled', tone: 'warning', open: true };
    default:
      return plan.status satisfies never;
  }
}

export function viewState(facts: PlanCardFacts): PlanView['state'] {
  const state = stateOf(facts);
  const { id, version } = facts.plan;
  return { ...state, line: `${state.symbol} ${state.words} · version ${version} · ${id}` };
}
