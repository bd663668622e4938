// Steps that ask a language model, and whether the budget allows for them (A12).
import type { Queryable } from '#db/database.ts';
import { readSpending, readUsualStepCost } from '#db/planning/spending.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { type Caps, describeCap, dollars, findExceeded } from '#domain/budget.ts';
import { startOfDay } from '#domain/clock.ts';
import { hasRuntime } from '#domain/plan/arguments.ts';
import type { Step } from '#domain/plan/plan.ts';
import { type Catalogue, operationName } from '#domain/tool.ts';
import { countOf } from '#domain/words.ts';
import type { PlansContext } from '../plans-context.ts';

/** Whether running the step calls the plan's language model. */
export function usesModel(
  step: Pick<Step, 'tool' | 'operation' | 'args'>,
  catalogue: Pick<Catalogue, 'get'>,
): boolean {
  const spec = catalogue.get(operationName(step.tool, step.operation));
  return spec?.usesModel === true || hasRuntime(step.args);
}

const dayMs = 86_400_000;

/** Counts steps that ask a model: all, and those that may start before the day (UTC) ends. */
export function createModelStepCount(now: Date) {
  const dayEnds = startOfDay(now).getTime() + dayMs;
  const counted = { all: 0, today: 0 };
  return {
    counted,
    take(step: Step): void {
      counted.all += 1;
      const { not_before: start } = step;
      if (start == null || Date.parse(start) < dayEnds) counted.today += 1;
    },
  };
}

/** Why the budget is too small for the model calls of steps that have not begun; null: it is not, or there are none. */
export async function findUnpayable(
  db: Queryable,
  { modelBudget, clock }: Pick<PlansContext, 'modelBudget' | 'clock'>,
  { id, executor_model: named }: PlanRow,
  { all, today }: { all: number; today: number },
): Promise<string | null> {
  if (modelBudget === undefined || all === 0) return null;
  const { caps, usual, firstCallUsd } = modelBudget;
  const model = named ?? usual;
  const at = clock.now();
  const { spent } = await readSpending(db, { planId: id }, { at, dayBegan: startOfDay(at) });
  const each = (await readUsualStepCost(db, model)) ?? firstCallUsd(model);
  const ofThePlan: Caps = {
    ...caps,
    ...{ perPerson: undefined, perOrganisation: undefined, perDay: Infinity },
  };
  const exceeded =
    (today === 0 ? null : findExceeded(spent, today * each, caps, true)) ??
    findExceeded(spent, all * each, ofThePlan, true);
  if (exceeded === null || exceeded === 'turn') return null;
  const [count, ask] = exceeded === 'session' ? [all, ''] : [today, ' today'];
  const { cap, remedy } = describeCap(exceeded, caps);
  return `${countOf(count, 'step')} may ask ${model}${ask}, for about ${dollars(count * each)}. With ${dollars(spent[exceeded])} spent, that exceeds ${cap}. ${remedy}`;
}
