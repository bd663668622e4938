// The caps of planning (B2, B9), and the sentences for a cap that is reached.
import { type Caps, describeCap, dollars, type HardCeiling } from '#domain/budget.ts';
import type { Exceeded } from './paid-model.ts';

export type PlanningLimits = Caps & {
  /** Model calls in one turn of a run. */
  turns: number;
  retries: number;
  wallSeconds: number;
};

/** Ends a model's turn early: its calls, its time, repeated calls, answers that are cut off, no answer. */
export type Cap = 'turns' | 'time' | 'repeats' | 'length' | 'silence';

export function explainCap(cap: Cap | 'transitions', limits: PlanningLimits): string {
  switch (cap) {
    case 'turns':
      return `I stopped after ${limits.turns} turns without a plan. Ask for less at once, or raise TURN_LIMIT.`;
    case 'time':
      return `I stopped after ${limits.wallSeconds} seconds without a plan. Ask for less at once, or raise WALL_TIME_SEC.`;
    case 'repeats':
      return 'The model kept repeating the same call. Try rephrasing.';
    case 'transitions':
      return 'I went back and forth between stages without a plan. Ask for less at once.';
    case 'length':
      return 'The model’s answers were too long and were cut off. Ask for less at once, or lower PLANNER_REASONING_EFFORT.';
    case 'silence':
      return 'The model gave no answer. Ask again, lower PLANNER_REASONING_EFFORT, or choose another PLANNER_MODEL.';
    default:
      return cap satisfies never;
  }
}

/** The run ends at a hard cap. The soft ceiling of a turn is a question instead. */
export function explainHardCap(
  ceiling: HardCeiling,
  { caps, spent_usd, estimate_usd }: Pick<Exceeded, 'caps' | 'spent_usd' | 'estimate_usd'>,
): string {
  const { cap, remedy } = describeCap(ceiling, caps);
  return `Planning further would exceed ${cap}: ${dollars(spent_usd)} has been spent, and the next call may cost ${dollars(estimate_usd)}. ${remedy}`;
}
