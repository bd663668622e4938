// A stored plan as the draft it could be proposed from again, for planners that revise or repeat it.
import type { Queryable } from '#db/database.ts';
import { readPlanRow } from '#db/plans/plans.ts';
import { iterateContents } from '#db/steps/versions.ts';
import { CountersignError } from '#domain/errors.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { draftOf } from '#domain/plan/step-content.ts';
import { findVersion } from '../content/preflight.ts';
import { createOccurrenceTest } from '../series/occurrences.ts';

/** Plans with more steps are not put before a planner as a whole. */
export const revisableSteps = 2000;

/**
 * In its current version or an earlier one. Reads every step, so check their number first.
 * @throws `plan_not_found`, `not_found` if there is no such version, or its steps were not kept
 */
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
    // Covered by the series; the next version gets its own occurrences.
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
