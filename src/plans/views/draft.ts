// A stored plan as the draft it could be proposed from again, for planners that revise or repeat it.
import type { Queryable } from '#db/database.ts';
import { readPlan } from '#db/plans/plans.ts';
import { iterateSteps } from '#db/steps/pages.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { draftOf } from '#domain/plan/step-content.ts';
import { createOccurrenceTest } from '../series/occurrences.ts';

/** Plans with more steps are not put before a planner as a whole. */
export const revisableSteps = 2000;

/** Reads every step, so check their number first. @throws `plan_not_found` */
export async function readDraft(db: Queryable, planId: string): Promise<PlanDraft> {
  const plan = await readPlan(db, planId);
  const steps: PlanDraft['steps'] = [];
  const isOccurrence = createOccurrenceTest(plan.series);
  for await (const step of iterateSteps(db, planId)) {
    // Covered by the series; the next version gets its own occurrences.
    if (isOccurrence(step)) continue;
    steps.push(draftOf(step));
  }
  return {
    title: plan.title,
    ...(plan.summary === null ? {} : { summary: plan.summary }),
    steps,
    context: plan.context,
    risks: plan.risks,
    approvers: plan.approver_policy,
    ...(plan.step_approval === 'each' ? { step_approval: 'each' } : {}),
    ...(plan.series.length === 0 ? {} : { series: plan.series }),
  };
}
