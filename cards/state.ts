// A plan's state in words, and who it waits for.
import type { PatchFacts, PlanCardFacts } from '#domain/chat/card.ts';
import { assigneeOf } from '#domain/plan/human-task.ts';
import type { PassedStarts } from '#domain/plan/passed-starts.ts';
import type { Plan, PlanStatus } from '#domain/plan/plan.ts';
import { cleanLine, showLine, showTitle } from '#domain/shown-text.ts';
import { countOf, listOf } from '#domain/words.ts';
import { askAboutFindings } from './findings.ts';
import { goalOf, maxSentence, quote, showPerson } from './plain.ts';
import { callPerson, isViewers, personOf } from './step-lines.ts';
import { addRun, describeDone, describeRun, tellTime } from './times.ts';
import type { PlanView, Quote, Tone } from './view.ts';

type State = { symbol: string; words: string; tone: Tone; open: boolean };

/** Questions and unknown outcomes can still be settled. */
const alive: PlanStatus[] = ['executing', 'stalled', 'approved', 'failed'];

export function canSettle(facts: PlanCardFacts): boolean {
  return alive.includes(facts.plan.status);
}

/** `Next on Mon 4 May, 09:30`, `Next at 14:02` today. */
function viewNext({ now, viewer }: PlanCardFacts, at: string): string {
  const time = tellTime(at, { now, viewer });
  return `Next ${/^\d\d:/.test(time) ? 'at' : 'on'} ${time}`;
}

function viewChange(patch: PatchFacts): State {
  const who = patch.may_approve ? 'you' : showLine(patch.approvers, 120);
  return { symbol: '◷', words: `Change waiting for ${who}`, tone: 'warning', open: true };
}

/** A finding that needs a person. */
function viewProblem(facts: PlanCardFacts): State | null {
  if (askAboutFindings(facts).length === 0) return null;
  const { running, ready } = facts.plan.counts;
  const words = running + ready > 0 ? 'Running, with a problem' : 'Waiting for a decision';
  return { symbol: '△', words, tone: 'warning', open: true };
}

function viewRunning(facts: PlanCardFacts): State {
  if (facts.unknown.length > 0) {
    return { symbol: '◷', words: 'Waiting for a decision', tone: 'warning', open: true };
  }
  const [waiting] = facts.waiting;
  if (waiting !== undefined) {
    // Calls that ask first have no assignee.
    const person = personOf(waiting, facts) ?? 'a decision';
    const words = isViewers(waiting, facts) ? 'Waiting for you' : `Waiting for ${person}`;
    return { symbol: '◷', words, tone: 'warning', open: true };
  }
  if (facts.patch !== null) return viewChange(facts.patch);
  const problem = viewProblem(facts);
  if (problem !== null) return problem;
  if (facts.plan.paused) return { symbol: '‖', words: 'Paused', tone: 'warning', open: false };
  const [blocked] = facts.blocked;
  if (blocked !== undefined && facts.plan.counts.running === 0) {
    const what = blocked.kind === 'worker' ? 'a worker' : 'a shared resource';
    return { symbol: '◷', words: `Waiting for ${what}`, tone: 'warning', open: false };
  }
  const [next] = facts.next;
  const waitsUntil = next?.status === 'ready' ? next.available_at : null;
  if (facts.next_at === null && facts.plan.counts.running === 0 && waitsUntil !== null)
    if (next !== undefined && waitsUntil > facts.now && next.error?.retry === undefined) {
      const words = `Next: step ${cleanLine(next.label)}, ${tellTime(waitsUntil, facts)}`;
      return { symbol: '◷', words, tone: 'default', open: false };
    }
  if (facts.next_at !== null && facts.plan.counts.running === 0) {
    return { symbol: '◷', words: viewNext(facts, facts.next_at), tone: 'default', open: false };
  }
  return { symbol: '▸', words: 'Running', tone: 'accent', open: false };
}

function stateOf(facts: PlanCardFacts): State {
  const { plan } = facts;
  if (plan.revising) {
    return { symbol: '⟳', words: 'Revising', tone: 'accent', open: false };
  }
  const stopped = plan.status === 'failed' || plan.status === 'completed';
  if (stopped && facts.patch !== null) return viewChange(facts.patch);
  switch (plan.status) {
    case 'proposed': {
      const who = facts.may_approve ? 'you' : showLine(facts.approvers, 120);
      return { symbol: '◷', words: `Waiting for ${who}`, tone: 'accent', open: true };
    }
    case 'needs_review':
      return { symbol: '◷', words: 'Needs review', tone: 'warning', open: true };
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

function lastFeedback(facts: PlanCardFacts): Quote[] {
  const last = facts.plan.rejection_history.at(-1);
  if (last === undefined) return [];
  return quote(showPerson(facts, last.by, 60), last.feedback, maxSentence);
}

function decidedBy(facts: PlanCardFacts): string {
  const { plan } = facts;
  if (plan.decided_by === null) return '';
  const when = plan.decided_at === null ? '' : `, ${tellTime(plan.decided_at, facts)}`;
  return ` by ${callPerson(facts, plan.decided_by)}${when}`;
}

function describeCancelled(facts: PlanCardFacts): string {
  const { plan } = facts;
  const done = plan.execution_started_at === null ? 'Nothing ran.' : `${describeDone(facts)}.`;
  // After a start, the decision on record is the approval.
  const who = plan.execution_started_at === null ? decidedBy(facts) : '';
  // Without a person it expired, with a reason.
  const { decided_by: by, result_summary: reason } = plan;
  if (by !== null || reason === null) return `Cancelled${who}. ${done}`;
  const again = plan.execution_started_at === null ? ' Ask again if you still want it.' : '';
  return `Cancelled. ${showLine(reason, maxSentence)} ${done}${again}`;
}

function describeStalled({ result_summary: reason }: Plan): string {
  const what =
    reason === null ? 'Nothing has happened for a while.' : showLine(reason, maxSentence);
  return `${what} Resume to try again, or cancel.`;
}

/** Failures have their own section. */
function describeFailed({ plan, failed }: PlanCardFacts): string {
  const { failed: count } = plan.counts;
  if (count === 0 && plan.result_summary !== null)
    return showLine(plan.result_summary, maxSentence);
  const [only] = failed;
  const what = count === 1 && only !== undefined ? `Step ${only.label}` : countOf(count, 'step');
  return `${what} failed.`;
}

function describeCompleted({ plan }: PlanCardFacts): string {
  if (plan.result_summary !== null) return showLine(plan.result_summary, maxSentence);
  return plan.total_steps === 1
    ? 'The step is done.'
    : `All ${countOf(plan.total_steps, 'step')} are done.`;
}

/** `12:42 has passed: step 1 starts at once if approved.` */
export function describePassed(
  { labels, more, first, last }: PassedStarts,
  { now, viewer }: Pick<PlanCardFacts, 'now' | 'viewer'>,
): string {
  const [from, to] = [first, last].map((at) => tellTime(at, { now, viewer }));
  const times = from === to ? `${from} has` : `${from} to ${to} have`;
  const one = labels.length === 1 && more === 0;
  const steps = listOf([...labels.map(cleanLine), ...(more > 0 ? [`${more} more`] : [])]);
  return `${times} passed: ${one ? 'step' : 'steps'} ${steps} ${one ? 'starts' : 'start'} at once if approved.`;
}

/** Leading space; '' if none has passed. */
function advisePassed(facts: PlanCardFacts): string {
  const { passed } = facts;
  if (passed === undefined) return '';
  const them = passed.labels.length === 1 && passed.more === 0 ? 'it' : 'them';
  return `${describePassed(passed, facts)} Approve to run now, propose another time, or leave ${them} out. `;
}

export function viewSentence(facts: PlanCardFacts): string {
  const { plan } = facts;
  if (plan.revising) return "I'm drafting a new version. Nothing runs until it's approved.";
  switch (plan.status) {
    case 'proposed':
      return advisePassed(facts).trim();
    case 'approved':
    case 'executing':
      return '';
    case 'needs_review':
      return `${advisePassed(facts)}${countOf(plan.rejection_history.length, 'version')} rejected, so I've stopped drafting. Approve, reject or cancel this one.`;
    case 'stalled':
      return describeStalled(plan);
    case 'completed':
      return describeCompleted(facts);
    case 'failed':
      return describeFailed(facts);
    case 'rejected':
      return `Rejected${decidedBy(facts)}. Nothing ran.`;
    case 'cancelled':
      return describeCancelled(facts);
    default:
      return plan.status satisfies never;
  }
}

/** A change request, or the planner's goal. */
export function viewQuotes(facts: PlanCardFacts): Quote[] {
  const { plan } = facts;
  if (plan.revising) return lastFeedback(facts);
  if (plan.status === 'needs_review') return [];
  return [...(plan.status === 'rejected' ? lastFeedback(facts) : []), ...goalOf(facts)];
}

/** `Ana approved (1 of 2). Also needs one of Ben or Cleo for http_request.` */
function describeOpen(facts: PlanCardFacts, names: string[]): string {
  const { approvals_needed: needed, approval_rules: rules } = facts;
  if (rules.length < 2) {
    if (needed < 2) return '';
    const who = names.length === 0 ? '' : ` (${listOf(names)})`;
    return `${names.length} of ${needed} approved${who}`;
  }
  const missing = showLine(facts.approvers, maxSentence);
  return names.length === 0
    ? `Nobody has approved yet (0 of ${needed}). Needs ${missing}.`
    : `${listOf(names).replace(/^you\b/, 'You')} approved (${names.length} of ${needed}). Also needs ${missing}.`;
}

/** `1 of 2 approved (Ana)`, `Approved by Ana, 14:02`, or nothing. */
export function viewApprovals(facts: PlanCardFacts): string {
  const { plan } = facts;
  const names = plan.approvals.map(({ by }) => callPerson(facts, by));
  if (plan.status === 'proposed' || plan.status === 'needs_review') {
    return describeOpen(facts, names);
  }
  const last = plan.approvals.at(-1);
  if (last === undefined) return '';
  return `Approved by ${listOf(names)}, ${tellTime(last.at, facts)}`;
}

/** With rhythm or start, unless it has them. */
export function viewHeading(facts: PlanCardFacts): string {
  return addRun(viewTitle(facts.plan), describeRun(facts));
}

function viewTitle(plan: Plan): string {
  return cleanLine(plan.title) === '' ? plan.id : showTitle(plan.title, 300);
}

/** As named in the plan. */
export function findConcerned({
  plan,
  waiting,
}: Pick<PlanCardFacts, 'waiting'> & {
  plan: Pick<PlanCardFacts['plan'], 'requester' | 'approver_policy'>;
}): string[] {
  const rule = plan.approver_policy;
  const asked = waiting.flatMap((step) => assigneeOf(step) ?? []);
  return [...new Set([...asked, plan.requester, ...('people' in rule ? rule.people : [])])];
}
