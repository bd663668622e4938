// From the facts of a plan to everything that is said about it. Pure: the same facts give the same words.
import type { PlanCardFacts } from '#contracts/card.ts';
import { countHiddenAsks, viewAsks } from './asks.ts';
import { askForReview, viewButtons } from './buttons.ts';
import { viewFacts } from './facts-line.ts';
import { viewApprovals, viewSentence, viewTitle } from './outcome.ts';
import { showLine } from './plain.ts';
import { viewHistory, viewProposal } from './proposal.ts';
import { viewCompleted, viewOptions, viewProgress, viewRunning, viewStopped } from './report.ts';
import { viewState } from './state.ts';
import type { PlanView, Section } from './view.ts';
import { andMore } from './words.ts';

function viewSections(facts: PlanCardFacts): Section[] {
  const { plan } = facts;
  const history = viewHistory(facts);
  // The latest wish is in the sentence already.
  if (plan.revising) return history === null || plan.rejection_history.length < 2 ? [] : [history];
  switch (plan.status) {
    case 'proposed':
    case 'approved':
      return viewProposal(facts);
    case 'needs_review':
      return [...viewProposal(facts), ...(history === null ? [] : [history])];
    case 'executing':
    case 'stalled':
      return viewRunning(facts);
    case 'completed':
      return viewCompleted(facts);
    case 'failed': {
      const options = viewOptions(facts);
      return [...viewStopped(facts), ...(options === null ? [] : [options])];
    }
    case 'cancelled':
      return plan.execution_started_at === null ? [] : viewStopped(facts);
    case 'rejected':
      return [];
    default:
      return plan.status satisfies never;
  }
}

const showsProgress = new Set(['executing', 'stalled', 'failed']);

/** Everything a card, its text twin or a terminal says about a plan. */
export function viewPlan(facts: PlanCardFacts): PlanView {
  const { plan } = facts;
  const asks = viewAsks(facts);
  const sections = viewSections(facts);
  const buttons = viewButtons(facts);
  const hiddenAsks = asks.length === 0 ? 0 : countHiddenAsks(facts);
  return {
    plan_id: plan.id,
    version: plan.version,
    digest: plan.digest,
    status: plan.status,
    title: viewTitle(plan),
    planner: showLine(plan.planner_model, 80),
    state: viewState(facts),
    asks,
    asks_more: andMore(hiddenAsks),
    sentence: viewSentence(facts),
    progress: showsProgress.has(plan.status) ? viewProgress(facts) : null,
    sections,
    approvals: viewApprovals(facts),
    facts: viewFacts(facts),
    buttons: sections.some(({ cut }) => cut === true) ? askForReview(buttons) : buttons,
    details: null,
    link: facts.link,
  };
}
