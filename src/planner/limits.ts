// The caps of planning (B2, B9), and what a person reads when one is met.
import type { Ceiling } from './agent/paid-model.ts';
import type { Cap } from './agent/run-agent.ts';

export type PlanningLimits = {
  /** Model calls in one turn of a run. */
  turns: number;
  /** Times a stage is tried again. */
  retries: number;
  wallSeconds: number;
  /** US dollars a turn, beyond which a person is asked; a run; and a day over all runs. */
  softPerTurn: number;
  perSession: number;
  perDay: number;
};

const dollars = (usd: number) => `$${usd.toFixed(usd < 0.1 ? 3 : 2)}`;

export function explainCap(cap: Cap, limits: PlanningLimits): string {
  switch (cap) {
    case 'turns':
      return `I stopped after ${limits.turns} turns without a plan. Ask for less at once, or raise TURN_LIMIT.`;
    case 'time':
      return `I stopped after ${limits.wallSeconds} seconds without a plan. Ask for less at once, or raise WALL_TIME_SEC.`;
    case 'repeats':
      return 'The model went in a circle: it made the same call again and again. Ask in other words.';
    case 'silence':
      return 'The model gave no answer. Ask again, or in other words.';
    default:
      return cap satisfies never;
  }
}

/** For the soft ceiling of a turn this is a question; the other two end the run. */
export function explainCeiling(
  {
    ceiling,
    spent_usd,
    estimate_usd,
  }: { ceiling: Ceiling; spent_usd: number; estimate_usd: number },
  limits: PlanningLimits,
): string {
  switch (ceiling) {
    case 'turn_soft':
      return `This has cost ${dollars(spent_usd)} so far; the next step may cost ${dollars(estimate_usd)} more and pass ${dollars(limits.softPerTurn)} for one request. Reply “go on”, or ask for less.`;
    case 'session':
      return `Planning on would cost more than the budget of this conversation (${dollars(limits.perSession)}). Ask for less at once, or raise BUDGET_PER_SESSION_USD.`;
    case 'day':
      return `Planning on would cost more than the budget of the day (${dollars(limits.perDay)}). Go on tomorrow, or raise BUDGET_PER_DAY_USD.`;
    default:
      return ceiling satisfies never;
  }
}
