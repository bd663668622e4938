// The small line at the foot of a card: when, how long, cost, planner, confidence in words, short digest.
import type { PlanCardFacts } from '#contracts/card.ts';
import { showLine } from './plain.ts';
import {
  confidenceWord,
  describeExpected,
  formatCost,
  formatDuration,
  tellSpan,
  tellTime,
} from './words.ts';

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
    // Only a plan whose every shown step is dated has a start of its own.
    const dated = first !== undefined && facts.steps.every((step) => step.not_before !== null);
    const start = dated ? `first step ${tellTime(first, facts)}` : 'starts when approved';
    return [start, ...expected];
  }
  if (plan.execution_started_at === null || plan.execution_ended_at === null) return [];
  const took = Date.parse(plan.execution_ended_at) - Date.parse(plan.execution_started_at);
  return [`took ${formatDuration(took)}`];
}

function describeCost({ plan }: PlanCardFacts): string {
  if (plan.cost_usd === 0) return 'no cost';
  return plan.execution_ended_at === null
    ? `${formatCost(plan.cost_usd)} so far`
    : formatCost(plan.cost_usd);
}

export function viewFacts(facts: PlanCardFacts): string {
  const { plan } = facts;
  return [
    ...describeTime(facts),
    describeCost(facts),
    showLine(plan.planner_model, 80),
    ...(plan.confidence === null ? [] : [`confidence ${confidenceWord(plan.confidence)}`]),
    `digest ${plan.digest.slice(0, 8)}`,
  ].join(' · ');
}
