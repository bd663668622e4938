// Planning progress for a turn stopped at its limit.
import { dollars } from '#domain/budget.ts';
import type { InteractionPolicy } from '#domain/people/policy.ts';
import type { PlanningState } from '#domain/planning/state.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { countOf, listOf } from '#domain/words.ts';
import { detailOf } from '../policy/effects.ts';

function describeProgress(
  { outline, roadmap, schedule, pattern }: Readonly<PlanningState>,
  policy: InteractionPolicy,
): string {
  if (outline === null) {
    return pattern === null
      ? 'Nothing is planned yet.'
      : 'The shape of the work is chosen; nothing is planned yet.';
  }
  const tasks = outline.nodes.filter(({ structure }) => structure === 'task').length;
  const done = [
    `an outline of ${quoteWords(outline.title, 200)} with ${countOf(tasks, 'task')}`,
    ...(roadmap === null ? [] : ['their order']),
    ...(schedule === null ? [] : ['when they happen']),
  ];
  const open = [
    ...(roadmap === null ? ['their order'] : []),
    ...(schedule === null ? ['when they happen'] : []),
  ];
  const missing =
    open.length === 0 || detailOf(policy) === 'short' ? '' : ` Still open: ${listOf(open)}.`;
  return `There is ${listOf(done)} so far.${missing}`;
}

/** @param limit the plan's own, if it applies */
export function describeBudgetStop(
  state: Readonly<PlanningState>,
  policy: InteractionPolicy,
  limit?: number,
): string {
  const cost =
    limit !== undefined
      ? `Planning has cost ${dollars(state.earlier_usd + state.cost_usd)}, and the limit of this plan is ${dollars(limit)}. You can also reply with a higher limit.`
      : state.cost_usd === 0
        ? 'SOFT_BUDGET_PER_TURN_USD is 0, so I ask before each call of the model.'
        : `Planning has cost ${dollars(state.cost_usd)} this turn.`;
  return `${describeProgress(state, policy)} ${cost}`;
}
