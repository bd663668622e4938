// A stored plan as the draft it could be proposed from again, for planners that revise or repeat it.
import type { Queryable } from '#db/database.ts';
import { readPlan } from '#db/plans/plans.ts';
import { iterateSteps } from '#db/steps/pages.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { draftOf } from '#domain/plan/step-content.ts';
import { createOccurrenceTest } from '../series/occurrences.ts';

/** A larger plan is not put before a planner as a whole. */
export const revisableSteps = 2000;

/** Every step is read; ask how many there are first. @throws `plan_not_found` */
export async function readDraft(db: Queryable, planId: string): Promise<PlanDraft> {
  const plan = await readPlan(db, planId);
  const steps: PlanDraft['steps'] = [];
  const isOccurrence = createOccurrenceTest(plan.series);
  for await (const step of iterateSteps(db, planId)) {
    // The series says it; the next version has occurrences of its own.
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
