// The budgets that bind a running plan's model calls: they are the planner's own, so that a plan cannot spend what planning may not.
import { type Clock, startOfDay } from '#contracts/clock.ts';
import { CountersignError } from '#contracts/errors.ts';
import { readCosts } from '#store/costs.ts';
import type { Queryable } from '#store/database.ts';

/** US dollars that one plan, planning included, and one day (UTC) may cost. */
export type Budget = { perSession: number; perDay: number };

/**
 * Lets a call pass that costs at most `estimate` US dollars. Calls under way at the same time are not yet counted.
 * @throws `budget_exhausted` when the plan's or the day's budget does not allow for it
 */
export async function requireBudget(
  { query, clock, budget }: { query: Queryable; clock: Clock; budget: Budget },
  planId: string,
  estimate: number,
): Promise<void> {
  const spent = await readCosts(query, planId, startOfDay(clock.now()));
  if (isBeyond(budget.perSession, spent.plan, estimate)) {
    throw exhausted(
      `This plan has cost $${spent.plan.toFixed(2)} of the $${budget.perSession} a session may cost`,
      'Raise BUDGET_PER_SESSION_USD',
    );
  }
  if (isBeyond(budget.perDay, spent.day, estimate)) {
    throw exhausted(
      `Today $${spent.day.toFixed(2)} of the $${budget.perDay} a day may cost are spent`,
      'Raise BUDGET_PER_DAY_USD, or wait until midnight UTC',
    );
  }
}

/** A model without a price costs nothing as far as anyone can tell: it stays allowed under a budget of 0. */
function isBeyond(limit: number, spent: number, estimate: number): boolean {
  return spent + estimate > limit || (spent > 0 && spent >= limit);
}

function exhausted(what: string, remedy: string): CountersignError {
  return new CountersignError(
    'budget_exhausted',
    `${what}; deciding the arguments of this step would go beyond. ${remedy}, then retry the step; or propose it with fixed arguments.`,
  );
}
