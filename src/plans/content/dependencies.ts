// A step's dependencies: explicit and implied.
import type { ErrorCode, Problems } from '#domain/errors.ts';
import { referencesOf } from '#domain/plan/arguments.ts';
import { conditionsOf } from '#domain/plan/condition.ts';
import { type Dependency, toDependency } from '#domain/plan/dependency.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { JsonObject } from '#domain/text.ts';

/** `path`: in the request. */
export type StepLocation = { label: string; position: number; path: string };

/** Implied by references, conditions and the operation; by predecessor's position. @param reads IDs read by the operation */
export function dependenciesOf(
  draft: Pick<StepDraft, 'after' | 'when'>,
  args: JsonObject,
  { label, position, path: place }: StepLocation,
  positions: Map<string, number>,
  problems: Problems,
  reads: readonly string[] = [],
): { predecessor: number; dependency: Dependency }[] {
  const found = new Map<string, { predecessor: number; dependency: Dependency }>();
  const add = (
    dependency: Dependency,
    path: string,
    code: ErrorCode,
    what: string,
    hint: string = '',
  ) => {
    const predecessor = positions.get(dependency.id);
    if (predecessor === undefined) {
      problems.add(
        code,
        path,
        `Step ${label} ${what} step "${dependency.id}", which is not in the plan.${hint}`,
      );
    } else if (predecessor === position) {
      problems.add('dependency_cycle', path, `Step ${label} ${what} itself.`);
    } else {
      found.set(`${predecessor}:${dependency.type}`, { predecessor, dependency });
    }
  };
  for (const entry of draft.after ?? []) {
    add(toDependency(entry), `${place}.after`, 'unknown_step', 'waits for');
  }
  const imply = (
    id: string,
    ...rest: [path: string, code: ErrorCode, what: string, hint?: string]
  ) => {
    const predecessor = positions.get(id);
    if (predecessor !== undefined && found.has(`${predecessor}:FS`)) return;
    add(toDependency(id), ...rest);
  };
  for (const { $from, path } of referencesOf(args)) {
    const hint = ` Where {{${$from}${path}}} is meant as text, write \\{{${$from}${path}}}.`;
    imply($from, `${place}.args`, 'invalid_reference', 'uses the output of', hint);
  }
  for (const { step } of conditionsOf(draft.when)) {
    imply(step, `${place}.when`, 'unknown_step', 'has a condition on');
  }
  for (const id of reads) imply(id, `${place}.args`, 'unknown_step', 'reads');
  return [...found.values()].sort(
    (a, b) => a.predecessor - b.predecessor || (a.dependency.type < b.dependency.type ? -1 : 1),
  );
}
