// All there is to know about a plan, page by page, for surfaces that show it in place of its card. Pure.
import type { CardPress, PlanCardFacts } from '#domain/chat/card.ts';
import { noPartWords } from '#domain/plan/step-choice.ts';
import { maxNumbered } from '#domain/plan/step-numbers.ts';
import { isolateText, quoteName, showLine } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { pressOf } from './buttons.ts';
import { windowWords } from './chat-words.ts';
import { nameEvidence } from './evidence.ts';
import { mapShown, showPerson, throughAgent } from './plain.ts';

import type { ReviewPage, ReviewStep } from './review.ts';
import { viewApprovals, viewState, viewTitle } from './state.ts';
import { tellTime } from './times.ts';
import { describeConfidence } from './trace-words.ts';
import type { PlanView } from './view.ts';
import { formatCost } from './words.ts';

export type DetailsView = {
  plan_id: string;
  title: string;
  state: PlanView['state'];
  facts: { label: string; text: string }[];
  /** `Steps`, or which of how many. */
  label: string;
  /** Every call of this page, whole. */
  steps: ReviewStep[];
  /** What approving from here is bound to, and its button; null: this reader decides nothing here. */
  approve: { press: CardPress; words: string } | null;
  /** The steps can be ticked, so that only those are approved. */
  ticks: boolean;
  /** That approving is about every page; null: nothing is decided here, or there is one page. */
  covers: string | null;
  /** The pages to ask for; null: there is none on that side. */
  earlier: string[] | null;
  later: string[] | null;
};

/** `pages`: the cursors that led here, `''` first, the last one to this page. */
export type DetailsPage = ReviewPage & { pages: string[] };

/** Cursors kept for the way back; from further on it leads to the first page. */
const maxKept = 40;

/** The cursors that led to a page, no more than are kept. */
export function keepPages([first = '', ...rest]: string[]): string[] {
  return [first, ...rest.slice(1 - maxKept)];
}

function viewRows(facts: PlanCardFacts): DetailsView['facts'] {
  const { plan } = facts;
  const asked = `${showPerson(facts, plan.requester, 80)}${throughAgent(plan)}, ${tellTime(plan.created_at, facts)}`;
  const approvals = viewApprovals(facts);
  const evidence = nameEvidence(facts);
  return [
    { label: 'Requested by', text: asked },
    ...(approvals === '' ? [] : [{ label: 'Approval', text: approvals }]),
    ...(evidence === '' ? [] : [{ label: 'Based on', text: evidence }]),
    { label: 'Planner', text: quoteName(plan.planner_model, 80) },
    ...(plan.executor_model === null
      ? []
      : [{ label: 'Executor', text: quoteName(plan.executor_model, 80) }]),
    ...(plan.confidence === null
      ? []
      : [{ label: 'Confidence', text: describeConfidence(plan.confidence) }]),
    { label: 'Cost', text: plan.cost_usd === 0 ? 'none' : formatCost(plan.cost_usd) },
    { label: 'Tools', text: showLine(plan.tools_required.join(', ') || 'none', 400) },
    // In groups: phones do not break a long word.
    { label: 'Digest', text: plan.digest.replaceAll(/.{8}(?=.)/g, '$& ') },
  ];
}

/** @param mayDecide the plan can be decided about where this is shown */
export function viewDetails(
  facts: PlanCardFacts,
  { steps, pages, next }: DetailsPage,
  mayDecide: boolean,
): DetailsView {
  const { plan } = facts;
  const open = (plan.status === 'proposed' || plan.status === 'needs_review') && !plan.revising;
  const small = plan.total_steps <= maxNumbered;
  const decides = mayDecide && open && facts.may_approve;
  const onePage = pages.length < 2 && next === null;
  const noPart = decides && !small;
  const { approve, approveAll } = windowWords.review;
  const words = onePage || plan.total_steps < 2 ? approve : approveAll({ steps: plan.total_steps });
  const all = plan.total_steps === 1 ? 'the step' : `all ${countOf(plan.total_steps, 'step')}`;
  const view: DetailsView = {
    plan_id: plan.id,
    title: viewTitle(plan),
    state: viewState(facts),
    facts: [...viewRows(facts), ...(noPart ? [{ label: 'Single steps', text: noPartWords }] : [])],
    label: small
      ? 'Steps'
      : `Steps, most dangerous first (${plan.total_steps.toLocaleString('en-US')} in all)`,
    steps,
    approve: decides ? { press: pressOf(plan, 'approve'), words } : null,
    ticks: decides && small && onePage && facts.steps.length > 1,
    covers:
      decides && !onePage
        ? windowWords.review.pages({ page: pages.length, last: next === null, all })
        : null,
    earlier: pages.length < 2 ? null : pages.slice(0, -1),
    later: next === null ? null : keepPages([...pages, next]),
  };
  return mapShown(view, isolateText);
}
