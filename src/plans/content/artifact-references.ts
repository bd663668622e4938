// Checks that steps' artifacts belong to the plan or its run.
import type { Queryable } from '#db/database.ts';
import { findArtifacts } from '#db/plans/artifacts.ts';
import { Problems } from '#domain/errors.ts';
import { artifactsOf } from '#domain/plan/arguments.ts';
import type { StepContent } from '#domain/plan/step-content.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';

/** @throws `invalid_reference` naming the steps */
export async function requireArtifacts(
  db: Queryable,
  of: { planId: string | null; runId: string | null },
  steps: Iterable<Pick<StepContent, 'id' | 'args'>>,
): Promise<void> {
  const uses: { step: string; artifact: string }[] = [];
  for (const { id, args } of steps) {
    for (const { $artifact } of artifactsOf(args)) uses.push({ step: id, artifact: $artifact });
    if (isSliceOver()) await nextTurn();
  }
  if (uses.length === 0) return;
  const ids = [...new Set(uses.map(({ artifact }) => artifact))];
  const found = await findArtifacts(db, of, ids);
  const problems = new Problems();
  for (const { step, artifact } of uses) {
    if (found.has(artifact)) continue;
    const message = `Step ${step} uses artifact ${artifact}, which this plan does not have.`;
    problems.add('invalid_reference', 'steps', message);
  }
  problems.settle();
}
