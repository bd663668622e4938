// The one sentence of a card: what will be true afterwards, or what became of it.
import type { PlanCardFacts } from '#contracts/card.ts';
import type { Plan } from '#contracts/plan.ts';
import { countOf, listOf } from '#contracts/words.ts';
import { showPerson } from './people.ts';
import { cleanLine, showLine } from './plain.ts';
import { tellTime } from './words.ts';

const sentenceAtMost = 500;

function intended(plan: Plan): string {
  // Without a sentence of its own the title says it, and the title is on the card already.
  return plan.summary === null ? '' : showLine(plan.summary, sentenceAtMost);
}

function lastFeedback(facts: PlanCardFacts): { by: string; text: string } | null {
  const last = facts.plan.rejection_history.at(-1);
  if (last === undefined || last.feedback === null) return null;
  return { by: showPerson(facts, last.by, 60), text: showLine(last.feedback, sentenceAtMost) };
}

/** What somebody said, as the end of a sentence. */
function quoteWish(text: string): string {
  return /[.!?…]$/.test(text) ? `“${text}”` : `“${text}”.`;
}

function decidedBy(facts: PlanCardFacts): string {
  const { plan } = facts;
  if (plan.decided_by === null) return '';
  const when = plan.decided_at === null ? '' : `, ${tellTime(plan.decided_at, facts)}`;
  return ` by ${showPerson(facts, plan.decided_by, 60)}${when}`;
}

/** `1 of 2 steps`. */
function doneOf(plan: Plan): string {
  return `${plan.counts.succeeded.toLocaleString('en-US')} of ${countOf(plan.total_steps, 'step')}`;
}

function describeCancelled(facts: PlanCardFacts): string {
  const { plan } = facts;
  const done =
    plan.execution_started_at === null ? 'Nothing ran.' : `${doneOf(plan)} ran; the rest did not.`;
  // After a start the decision on record is the approval, not the cancelling.
  const who = plan.execution_started_at === null ? decidedBy(facts) : '';
  // Where nobody cancelled it, time did, and why is on record.
  const { decided_by: by, result_summary: reason } = plan;
  if (by !== null || reason === null) return `Cancelled${who}. ${done}`;
  const again = plan.execution_started_at === null ? ' Ask again if you still want it.' : '';
  return `Cancelled. ${showLine(reason, sentenceAtMost)} ${done}${again}`;
}

function describeRejected(facts: PlanCardFacts): string {
  const feedback = lastFeedback(facts);
  const why = feedback === null ? '.' : `: ${quoteWish(feedback.text)}`;
  return `Rejected${decidedBy(facts)}${why} Nothing ran.`;
}

function describeFailed({ plan }: PlanCardFacts): string {
  if (plan.result_summary !== null) return showLine(plan.result_summary, sentenceAtMost);
  const failed = plan.counts.failed.toLocaleString('en-US');
  return `${failed} of ${countOf(plan.total_steps, 'step')} failed; ${plan.counts.succeeded.toLocaleString('en-US')} succeeded.`;
}

function describeCompleted({ plan }: PlanCardFacts): string {
  if (plan.result_summary !== null) return showLine(plan.result_summary, sentenceAtMost);
  return plan.total_steps === 1
    ? 'The step is done.'
    : `All ${countOf(plan.total_steps, 'step')} are done.`;
}

export function viewSentence(facts: PlanCardFacts): string {
  const { plan } = facts;
  if (plan.revising) {
    const feedback = lastFeedback(facts);
    const asked = feedback === null ? '' : `${feedback.by} asked: ${quoteWish(feedback.text)} `;
    return `${asked}A new version is being drafted; nothing runs until it is approved.`;
  }
  switch (plan.status) {
    case 'proposed':
    case 'approved':
    case 'executing':
      return intended(plan);
    case 'needs_review':
      return `${countOf(plan.rejection_history.length, 'version')} rejected, so I've stopped drafting. Approve, reject or cancel this one.`;
    case 'stalled':
      return 'No progress for a while. Resume to try again, or cancel.';
    case 'completed':
      return describeCompleted(facts);
    case 'failed':
      return describeFailed(facts);
    case 'rejected':
      return describeRejected(facts);
    case 'cancelled':
      return describeCancelled(facts);
    default:
      return plan.status satisfies never;
  }
}

/** `Ana approved (1 of 2). Also needs one of Ben or Cleo for http_request.` where several rules hold. */
function describeOpen(facts: PlanCardFacts, names: string[]): string {
  const { approvals_needed: needed, approval_rules: rules } = facts;
  if (rules.length < 2) {
    if (needed < 2) return '';
    const who = names.length === 0 ? '' : ` (${listOf(names)})`;
    return `${names.length} of ${needed} approved${who}`;
  }
  const missing = showLine(facts.approvers, sentenceAtMost);
  return names.length === 0
    ? `Nobody has approved yet (0 of ${needed}). Needs ${missing}.`
    : `${listOf(names)} approved (${names.length} of ${needed}). Also needs ${missing}.`;
}

/** `1 of 2 approved (Ana)` while more are needed, `Approved by Ana, 14:02` after that, or nothing. */
export function viewApprovals(facts: PlanCardFacts): string {
  const { plan } = facts;
  const names = plan.approvals.map(({ by }) => showPerson(facts, by, 60));
  if (plan.status === 'proposed' || plan.status === 'needs_review') {
    return describeOpen(facts, names);
  }
  const last = plan.approvals.at(-1);
  if (last === undefined) return '';
  return `Approved by ${listOf(names)}, ${tellTime(last.at, facts)}`;
}

/** The title, whatever it holds, on one line. */
export function viewTitle(plan: Plan): string {
  return cleanLine(plan.title) === '' ? plan.id : showLine(plan.title, 300);
}
