// What looks wrong with a draft that is valid, pointed out once before it is submitted. By its steps, never by words.
import canonicalize from 'canonicalize';
import type { StepDraft } from '#domain/plan/plan.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { listOf } from '#domain/words.ts';

const doubtsAtMost = 5;

/** Steps that change something by exactly the same call. */
function findTwins(steps: StepDraft[], manifest: OperationSpec[]): string[] {
  const changing = new Set(
    manifest
      .filter(({ effect, human }) => effect !== 'read' && human !== true)
      .map(({ tool, operation }) => `${tool}\n${operation}`),
  );
  const groups = Map.groupBy(
    steps.filter(({ tool, operation }) => changing.has(`${tool}\n${operation}`)),
    ({ tool, operation, args = {}, when }) => canonicalize([tool, operation, args, when ?? null]),
  );
  return [...groups.values()]
    .filter((group) => group.length > 1)
    .map(
      (group) => `Steps ${listOf(group.slice(0, 5).map(({ id = '' }) => id))} make the same call.`,
    );
}

/** Sentences; empty: nothing looks wrong. */
export function findDoubts(steps: StepDraft[], manifest: OperationSpec[]): string[] {
  return findTwins(steps, manifest).slice(0, doubtsAtMost);
}
