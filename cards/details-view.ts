// All there is to know about a plan, page by page, for surfaces that show it in place of its card. Pure.
import type { CardPress, PlanCardFacts } from '#contracts/card.ts';
import type { Step, StepStatus } from '#contracts/plan.ts';
import { noPartWords } from '#contracts/step-choice.ts';
import { nameSteps, numberedAtMost } from '#contracts/step-numbers.ts';
import { operationName } from '#contracts/tool.ts';
import { pressOf } from './buttons.ts';
import { viewApprovals, viewTitle } from './outcome.ts';
import { showPerson } from './people.ts';
import { showLine } from './plain.ts';
import { viewState } from './state.ts';
import { notesOf, stepTextLimit } from './step-lines.ts';
import { describeConfidence } from './trace-words.ts';
import type { PlanView } from './view.ts';
import { formatCost, tellTime } from './words.ts';

export type DetailsView = {
  plan_id: string;
  title: string;
  state: PlanView['state'];
  facts: { label: string; text: string }[];
  /** `Steps`, or which of how many. */
  label: string;
  /** `place`: where the step is ticked, its place among the steps of the card; null: it cannot be. */
  steps: { lead: string; text: string; note: string; place: number | null }[];
  /** What approving the ticked steps is bound to; null: nothing can be ticked. */
  approve: CardPress | null;
  /** The pages to ask for; null: there is none on that side. */
  earlier: string[] | null;
  later: string[] | null;
};

/** `pages`: the cursors that led here, `''` first, the last one to this page; `next`: that of the page after it. */
export type DetailsPage = { steps: Step[]; pages: string[]; next: string | null };

/** Cursors kept for the way back; from further on it leads to the first page. */
const keptAtMost = 40;

function keepPages([first = '', ...rest]: string[]): string[] {
  return [first, ...rest.slice(1 - keptAtMost)];
}

const stepWords: Record<StepStatus, string> = {
  pending: 'waits for others',
  ready: 'ready',
  running: 'running',
  waiting: 'waits for a person',
  succeeded: 'done',
  failed: 'failed',
  skipped: 'skipped',
  cancelled: 'cancelled',
  stale: 'out of date',
  unknown: 'outcome unknown',
};

function viewRows(facts: PlanCardFacts): DetailsView['facts'] {
  const { plan } = facts;
  const asked = `${showPerson(facts, plan.requester, 80)}, ${tellTime(plan.created_at, facts)}`;
  const approvals = viewApprovals(facts);
  return [
    { label: 'Asked by', text: asked },
    ...(approvals === '' ? [] : [{ label: 'Approval', text: approvals }]),
    { label: 'Planner', text: showLine(plan.planner_model, 80) },
    ...(plan.executor_model === null
      ? []
      : [{ label: 'Executor', text: showLine(plan.executor_model, 80) }]),
    ...(plan.confidence === null
      ? []
      : [{ label: 'Confidence', text: describeConfidence(plan.confidence) }]),
    { label: 'Cost', text: plan.cost_usd === 0 ? 'none' : formatCost(plan.cost_usd) },
    { label: 'Tools', text: showLine(plan.tools_required.join(', ') || 'none', 400) },
    // In groups: phones do not break a long word.
    { label: 'Digest', text: plan.digest.replaceAll(/.{8}(?=.)/g, '$& ') },
  ];
}

function viewStep(step: Step, facts: PlanCardFacts, open: boolean) {
  const target = step.target === null ? '' : ` → ${showLine(step.target, 80)}`;
  const parts = [
    `${operationName(step.tool, step.operation)}${target}`,
    ...(open ? [] : [stepWords[step.status]]),
    ...notesOf(step, facts),
  ];
  return { text: showLine(step.description, stepTextLimit), note: parts.join(' · ') };
}

/** @param mayTick the steps can be approved one by one where this is shown */
export function viewDetails(
  facts: PlanCardFacts,
  { steps, pages, next }: DetailsPage,
  mayTick: boolean,
): DetailsView {
  const { plan } = facts;
  const open = (plan.status === 'proposed' || plan.status === 'needs_review') && !plan.revising;
  const whole = plan.total_steps <= numberedAtMost;
  const decides = mayTick && open && facts.may_approve;
  const ticks = decides && whole && facts.steps.length > 1;
  const noPart = decides && !whole;
  const shown = whole
    ? nameSteps(facts.steps, plan.total_steps)
    : nameSteps(steps, plan.total_steps);
  const [first] = steps;
  const last = steps.at(-1);
  return {
    plan_id: plan.id,
    title: viewTitle(plan),
    state: viewState(facts),
    facts: [...viewRows(facts), ...(noPart ? [{ label: 'Single steps', text: noPartWords }] : [])],
    label:
      whole || first === undefined || last === undefined
        ? 'Steps'
        : `Steps ${first.position}–${last.position} of ${plan.total_steps.toLocaleString('en-US')}`,
    steps: shown.map(({ step, label }) => ({
      lead: label,
      ...viewStep(step, facts, open),
      place: ticks ? facts.steps.indexOf(step) : null,
    })),
    approve: ticks ? pressOf(plan, 'approve') : null,
    earlier: whole || pages.length < 2 ? null : pages.slice(0, -1),
    later: whole || next === null ? null : keepPages([...pages, next]),
  };
}
