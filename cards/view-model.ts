// A plan's facts as words. Pure.
import type { PlanCardFacts } from '#domain/chat/card.ts';
import { isolateText, quoteName } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { countHiddenAsks, viewAsks } from './asks.ts';
import { askForReview, viewButtons } from './buttons.ts';
import { mapShown, showPerson, throughAgent } from './plain.ts';
import { hasDates, viewHistory, viewProposal } from './proposal.ts';

import { viewCompleted, viewOptions, viewProgress, viewRunning, viewStopped } from './report.ts';
import { viewApprovals, viewHeading, viewQuotes, viewSentence, viewState } from './state.ts';
import { viewTasks } from './tasks.ts';
import { describeExpected, formatDuration, tellSpan, tellTime } from './times.ts';
import type { PlanView, Section } from './view.ts';
import { confidenceWord, formatCost } from './words.ts';

const beforeStart = new Set(['proposed', 'needs_review']);

function describeTime(facts: PlanCardFacts): string[] {
  const { plan, scheduled } = facts;
  if (beforeStart.has(plan.status)) {
    const expected = describeExpected(facts);
    if (scheduled !== null && scheduled.ends_at > facts.now) {
      return [tellSpan(scheduled.starts_at, scheduled.ends_at, facts, ' – '), ...expected];
    }
    const first = facts.steps
      .flatMap((step) => step.not_before ?? [])
      .filter((at) => at > facts.now)
      .sort()[0];
    // The plan has a start if every shown step is dated.
    const dated = first !== undefined && facts.steps.every((step) => step.not_before !== null);
    const start = dated ? `first step ${tellTime(first, facts)}` : 'starts when approved';
    return [start, ...expected];
  }
  if (plan.execution_started_at === null || plan.execution_ended_at === null) return [];
  const took = Date.parse(plan.execution_ended_at) - Date.parse(plan.execution_started_at);
  const expected = describeExpected(facts).map((text) => `${text} expected`);
  return [[`took ${formatDuration(took)}`, ...expected].join(', ')];
}

function describeCost({ plan }: PlanCardFacts): string {
  if (plan.cost_usd === 0) return 'no cost';
  const isOver = plan.status === 'rejected' || plan.status === 'cancelled';
  return plan.execution_ended_at === null && (!isOver || plan.revising)
    ? `${formatCost(plan.cost_usd)} so far`
    : formatCost(plan.cost_usd);
}

/** `extensive plan, level 7 · 40 parts`, or nothing by default. */
function describePlanning({ plan, partitions }: PlanCardFacts): string[] {
  const { modes } = plan.context;
  if (modes === undefined) return [];
  const { planning_mode, plan_reasoning_mode, reasoning_level } = modes;
  const how =
    planning_mode === 'extensive'
      ? 'extensive plan'
      : plan_reasoning_mode === 'extensive'
        ? 'extensive reasoning'
        : 'planned';
  const parts = partitions?.total ?? 0;
  return [`${how}, level ${reasoning_level}`, ...(parts === 0 ? [] : [countOf(parts, 'part')])];
}

function viewFacts(facts: PlanCardFacts): string {
  const { plan } = facts;
  return [
    ...describePlanning(facts),
    ...describeTime(facts),
    describeCost(facts),
    ...(plan.agent === undefined
      ? []
      : [`requested by ${showPerson(facts, plan.requester, 60)}${throughAgent(plan)}`]),
    quoteName(plan.planner_model, 80),
    ...(plan.confidence === null ? [] : [`confidence ${confidenceWord(plan.confidence)}`]),
    `digest ${plan.digest.slice(0, 8)}`,
  ].join(' · ');
}

function viewSections(facts: PlanCardFacts): Section[] {
  const { plan } = facts;
  const history = viewHistory(facts);
  // The sentence has the latest request.
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

/** Facts for several readers. */
export function asShared(facts: PlanCardFacts): PlanCardFacts {
  const { timezone } = facts.viewer;
  return { ...facts, viewer: { user: '', timezone } };
}

export function viewPlan(facts: PlanCardFacts): PlanView {
  const { plan } = facts;
  const asks = viewAsks(facts);
  const sections = viewSections(facts);
  const buttons = viewButtons(facts);
  const hiddenAsks = asks.length === 0 ? 0 : countHiddenAsks(facts);
  const view: PlanView = {
    plan_id: plan.id,
    version: plan.version,
    digest: plan.digest,
    status: plan.status,
    title: viewHeading(facts),
    planner: quoteName(plan.planner_model, 80),
    state: viewState(facts),
    asks,
    asks_more: hiddenAsks,
    sentence: viewSentence(facts),
    quotes: viewQuotes(facts),
    progress: showsProgress.has(plan.status) ? viewProgress(facts) : null,
    tasks: viewTasks(facts),
    sections,
    approvals: viewApprovals(facts),
    facts: viewFacts(facts),
    buttons: sections.some(({ cut }) => cut === true) ? askForReview(buttons) : buttons,
    details: null,
    link: facts.link,
    dated: hasDates(facts),
  };
  return mapShown(view, isolateText);
}
