// A stored plan as a draft to revise or repeat.
import type { Queryable } from '#db/database.ts';
import { readPlanRow } from '#db/plans/plans.ts';
import { iterateContents } from '#db/steps/versions.ts';
import { CountersignError } from '#domain/errors.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { draftOf } from '#domain/plan/step-content.ts';
import { findVersion } from '../content/preflight.ts';
import { createOccurrenceTest } from '../series/occurrences.ts';

/** Larger plans are not shown whole to a planner. */
export const revisableSteps = 2000;

/** Reads every step, so check their number first. @throws `plan_not_found`, `not_found` without such a version or its steps */
export async function readDraft(
  db: Queryable,
  planId: string,
  version?: number,
): Promise<PlanDraft> {
  const row = await readPlanRow(db, planId);
  const named = { id: planId, version: version ?? row.version };
  const found = await findVersion(db, named);
  const steps: PlanDraft['steps'] = [];
  const isOccurrence = createOccurrenceTest(found?.series ?? []);
  for await (const step of iterateContents(db, planId, named.version)) {
    // The next version gets its own occurrences.
    if (isOccurrence(step)) continue;
    steps.push(draftOf(step));
  }
  if (found === null || steps.length + found.series.length === 0)
    throw new CountersignError('not_found', `Version ${named.version} of ${planId} was not kept.`);
  return {
    title: found.title,
    ...(found.summary === null ? {} : { summary: found.summary }),
    steps,
    context: found.context,
    risks: found.risks,
    approvers: found.approver_policy,
    ...(found.confirm_each ? { step_approval: 'each' } : {}),
    ...(found.series.length === 0 ? {} : { series: found.series }),
  };
}
