// Budgets for the model calls of a running plan. They are the planner's own, so a plan cannot spend what planning may not.
import { type Costs, reservePlanCost, settlePlanCost } from '#db/spending.ts';
import { retryUntilDatabaseAnswers } from '#db/transient.ts';
import { startOfDay } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import { mayHaveCost, type PayForCall } from '#domain/text-model.ts';
import type { Budget } from './executor-context.ts';
import { askDatabase, type StepRun } from './executor-context.ts';

/** Books the model calls of a step on its plan and on the day: the estimate before the call, what it cost afterwards. */
export function payOnPlan(run: StepRun): PayForCall {
  const { context, plan, step } = run;
  const { db, clock, budget } = context;
  const late = (error: unknown) =>
    context.warn(`The cost of step ${step.step_id} of ${plan.id} waits.`, error);
  return async (estimateUsd, call) => {
    const place = { planId: plan.id, estimateUsd, dayBegan: startOfDay(clock.now()) };
    const booked = await askDatabase(run, () =>
      reservePlanCost(db, place, (spent) =>
        findExhausted(budget, spent, estimateUsd, place.dayBegan.toISOString().slice(0, 10)),
      ),
    );
    if ('refusal' in booked) throw booked.refusal;
    // The money is spent whether or not the step is still ours.
    const settle = (usd: number) =>
      retryUntilDatabaseAnswers(() => settlePlanCost(db.query, booked.id, usd), late);
    const reply = await call().catch(async (error: unknown) => {
      if (!mayHaveCost(error)) await settle(0);
      throw error;
    });
    await settle(reply.cost_usd);
    return reply;
  };
}

/** Which budget a call that costs at most `estimate` would break; null: none. */
function findExhausted(
  budget: Budget,
  spent: Costs,
  estimate: number,
  day: string,
): CountersignError | null {
  if (isBeyond(budget.perSession, spent.plan, estimate)) {
    return exhausted(
      `This plan has cost $${spent.plan.toFixed(2)} of its $${budget.perSession} budget`,
      'Raise BUDGET_PER_SESSION_USD',
      `of the plan at $${budget.perSession}`,
    );
  }
  if (isBeyond(budget.perDay, spent.day, estimate)) {
    return exhausted(
      `$${spent.day.toFixed(2)} of today's $${budget.perDay} budget is spent`,
      'Raise BUDGET_PER_DAY_USD, or wait until midnight UTC',
      `of ${day} at $${budget.perDay}`,
    );
  }
  return null;
}

/** A model whose price is 0 stays allowed under a budget of 0. */
function isBeyond(limit: number, spent: number, estimate: number): boolean {
  return spent + estimate > limit || (spent > 0 && spent >= limit);
}

/** @param which the budget, so that it is told once */
function exhausted(what: string, remedy: string, which: string): CountersignError {
  return new CountersignError(
    'budget_exhausted',
    `${what}, and this step's model call would exceed it. ${remedy}, then retry the step.`,
    { details: { budget: which } },
  );
}
