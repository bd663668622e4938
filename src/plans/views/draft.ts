// A stored plan as the draft it could be proposed from again, for planners that revise or repeat it.
import type { Queryable } from '#db/database.ts';
import { readPlan } from '#db/plans/plans.ts';
import { iterateSteps } from '#db/steps/pages.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
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
    // Its target is read from its arguments, which may be changed.
    steps.push({
      id: step.id,
      description: step.description,
      tool: step.tool,
      operation: step.operation,
      args: step.args,
      after: step.after,
      priority: step.priority,
      tags: step.tags,
      resources: step.resources,
      capabilities: step.capabilities,
      ...(step.partition === null ? {} : { partition: step.partition }),
      ...(step.notes === null ? {} : { notes: step.notes }),
      ...(step.duration_minutes === null ? {} : { duration_minutes: step.duration_minutes }),
      ...(step.not_before === null ? {} : { not_before: step.not_before }),
      ...(step.when.length === 0 ? {} : { when: step.when }),
      ...(step.ask_before ? { ask_before: true } : {}),
    });
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
