// Charges the model calls of a running plan to the planning budget.
import { retryUntilDatabaseAnswers } from '#db/transient.ts';
import { describeCap } from '#domain/budget.ts';
import { startOfUtcDay } from '#domain/clock.ts';
import { CountersignError } from '#domain/errors.ts';
import { mayHaveCost, type PayForCall } from '#domain/text-model.ts';
import type { Refused } from '#planner/budget/budget.ts';
import { askDatabase, type StepRun } from './executor-context.ts';

const longestWaitMs = 60_000;

export function payOnPlan(run: StepRun): PayForCall {
  const { context, plan, step, signal } = run;
  const { budget } = context;
  const late = (error: unknown) =>
    context.warn(`Could not book the cost of step ${step.step_id} of ${plan.id} yet.`, error);
  // Booked even if the lease was lost: the money is spent.
  const book = (work: () => Promise<void>) => retryUntilDatabaseAnswers(work, late);
  return async ({ model, kind, price }, call) => {
    const wanted = { model, stage: kind, price, softLifted: true };
    const until = { signal, deadline: Date.now() + longestWaitMs };
    const booked = await askDatabase(run, () => budget.reserve({ planId: plan.id }, wanted, until));
    if ('exceeded' in booked) throw describeExhausted(booked, context.clock.now());
    const { id } = booked;
    const reply = await call().catch(async (error: unknown) => {
      await book(() => budget.fail(id, mayHaveCost(error) ? 'unknown' : 'nothing'));
      throw error;
    });
    await book(() => budget.settle(id, reply.usage, reply.cost_usd));
    return reply;
  };
}

/** `budget` names the cap, so that people are notified once. */
function describeExhausted({ caps, exceeded, spent }: Refused, now: Date) {
  const ceiling = exceeded === 'turn' ? 'session' : exceeded;
  const { cap, remedy } = describeCap(ceiling, caps);
  const isPlan = ceiling === 'session' || ceiling === 'plan';
  const of = isPlan ? 'the plan' : startOfUtcDay(now).toISOString().slice(0, 10);
  return new CountersignError(
    'budget_exhausted',
    `$${spent[ceiling].toFixed(2)} is spent, and this step's model call would exceed ${cap}. ${remedy} Then retry the step.`,
    { details: { budget: `${ceiling} of ${of}: ${cap}` } },
  );
}
