// Everything about a plan by page, in place of its card. Pure.
import type { CardPress, PlanCardFacts } from '#domain/chat/card.ts';
import type { PlanStatus } from '#domain/plan/plan.ts';
import { noPartWords } from '#domain/plan/step-choice.ts';
import { maxNumbered } from '#domain/plan/step-numbers.ts';
import { isolateText, quoteName, showLine } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { buildWords } from './build-words.ts';
import { pressOf } from './buttons.ts';
import { windowWords } from './chat-words.ts';
import { evidenceLabel, nameEvidence } from './evidence.ts';
import { mapShown, showPerson, throughAgent } from './plain.ts';

import type { ReviewPage, ReviewStep } from './review.ts';
import { viewApprovals, viewHeading, viewState } from './state.ts';
import { tellBooked, tellTime } from './times.ts';
import { describeConfidence } from './trace-words.ts';
import type { PlanView } from './view.ts';
import { formatCost } from './words.ts';

export type DetailsView = {
  plan_id: string;
  title: string;
  state: PlanView['state'];
  facts: { label: string; text: string }[];
  /** `Steps`, or a range. */
  label: string;
  steps: ReviewStep[];
  /** Steps that this reader can edit here. */
  edits: { step: string; label: string }[];
  /** Null if this reader can't approve here. */
  approve: { press: CardPress; words: string } | null;
  ticks: boolean;
  /** Approving covers all pages; null for one page or no decision. */
  covers: string | null;
  /** Cursors, or null. */
  earlier: string[] | null;
  later: string[] | null;
  /** While nothing has ended. */
  dry_run: string[] | null;
};

export const dryRunPage = 'dry-run';

export const isDryRun = (pages: readonly string[]): boolean => pages.at(-1) === dryRunPage;

/** `pages`: cursors up to this one, from `''`. */
export type DetailsPage = ReviewPage & { pages: string[] };

/** Going back further leads to the first page. */
const maxKept = 40;

export function keepPages([first = '', ...rest]: string[]): string[] {
  return [first, ...rest.slice(1 - maxKept)];
}

function viewRows(facts: PlanCardFacts): DetailsView['facts'] {
  const { plan, weeks = [] } = facts;
  const asked = `${showPerson(facts, plan.requester, 80)}${throughAgent(plan)}, ${tellTime(plan.created_at, facts)}`;
  const approvals = viewApprovals(facts);
  const evidence = nameEvidence(facts);
  return [
    { label: 'Requested by', text: asked },
    ...(approvals === '' ? [] : [{ label: 'Approval', text: approvals }]),
    ...(evidence === '' ? [] : [{ label: evidenceLabel, text: evidence }]),
    ...(weeks.length === 0
      ? []
      : [{ label: 'Working time', text: weeks.map(tellBooked).join(' · ') }]),
    { label: 'Planner', text: quoteName(plan.planner_model, 80) },
    ...(plan.executor_model === null
      ? []
      : [{ label: 'Executor', text: quoteName(plan.executor_model, 80) }]),
    ...(plan.confidence === null
      ? []
      : [{ label: 'Confidence', text: describeConfidence(plan.confidence) }]),
    { label: 'Cost', text: plan.cost_usd === 0 ? 'none' : formatCost(plan.cost_usd) },
    { label: 'Tools', text: showLine(plan.tools_required.join(', ') || 'none', 400) },
    // In groups: phones don't break long words.
    { label: 'Digest', text: plan.digest.replaceAll(/.{8}(?=.)/g, '$& ') },
  ];
}

/** Nothing is left to run. */
const onlyPast = new Set<PlanStatus>(['completed', 'cancelled', 'rejected']);

/** @param mayDecide here */
export function viewDetails(
  facts: PlanCardFacts,
  { steps, pages, next }: DetailsPage,
  mayDecide: boolean,
): DetailsView {
  const { plan } = facts;
  const open = (plan.status === 'proposed' || plan.status === 'needs_review') && !plan.revising;
  const { names, user } = facts.viewer;
  const isOwn = [user, ...(names?.own ?? [])].includes(plan.requester);
  const edits = mayDecide && open && plan.status === 'proposed' && (isOwn || facts.may_approve);
  const small = plan.total_steps <= maxNumbered;
  const decides = mayDecide && open && facts.may_approve;
  const onePage = pages.length < 2 && next === null;
  const noPart = decides && !small;
  const { approve, approveAll } = windowWords.review;
  const words = onePage || plan.total_steps < 2 ? approve : approveAll({ steps: plan.total_steps });
  const all = plan.total_steps === 1 ? 'the step' : `all ${countOf(plan.total_steps, 'step')}`;
  const view: DetailsView = {
    plan_id: plan.id,
    title: viewHeading(facts),
    state: viewState(facts),
    facts: [...viewRows(facts), ...(noPart ? [{ label: 'Single steps', text: noPartWords }] : [])],
    label: small
      ? 'Steps'
      : `Steps, most dangerous first (${plan.total_steps.toLocaleString('en-US')} in all)`,
    steps,
    edits: edits
      ? steps.flatMap(({ id, lead }) =>
          id === ''
            ? []
            : [{ step: id, label: buildWords.editStep({ label: lead.split(' ', 1)[0] ?? '' }) }],
        )
      : [],
    approve: decides ? { press: pressOf(plan, 'approve'), words } : null,
    ticks: decides && small && onePage && facts.steps.length > 1,
    covers:
      decides && !onePage
        ? windowWords.review.pages({ page: pages.length, last: next === null, all })
        : null,
    earlier: pages.length < 2 ? null : pages.slice(0, -1),
    later: next === null ? null : keepPages([...pages, next]),
    dry_run: onlyPast.has(plan.status) ? null : keepPages([...pages, dryRunPage]),
  };
  return mapShown(view, isolateText);
}
