// The digests of a plan's operations when it was shown, and whether the operations still match.
import { CountersignError } from '#domain/errors.ts';
import { type Catalogue, operationName } from '#domain/tool.ts';
import { describeChange, digestOperation } from '#tools/catalogue.ts';
import type { StepBody } from './normalise-step.ts';

/** Digests of operations by name. Plans stored before there were any have none, and are not compared. */
export type OperationDigests = Record<string, string>;

/** The digests of these operations as they are now; what nobody offers has none. */
export function digestOperations(
  catalogue: Pick<Catalogue, 'get'>,
  names: readonly string[],
): OperationDigests {
  return Object.fromEntries(
    names.flatMap((name) => {
      const spec = catalogue.get(name);
      return spec === undefined ? [] : [[name, digestOperation(spec)]];
    }),
  );
}

/** What of an operation changed since the plan was shown, in a sentence; null: nothing, or nobody knows what it was. */
export function findChangedOperation(
  digests: OperationDigests,
  catalogue: Pick<Catalogue, 'get'>,
  name: string,
): string | null {
  const shown = Object.hasOwn(digests, name) ? digests[name] : undefined;
  const spec = catalogue.get(name);
  if (shown === undefined || spec === undefined) return null;
  const change = describeChange(shown, digestOperation(spec));
  return change === null
    ? null
    : `${name} changed since this plan was shown: ${change}. Propose the plan again.`;
}

/** The operations that a patch adds steps of. */
export function addedOperations({
  added,
}: {
  added: readonly { now: Pick<StepBody, 'tool' | 'operation'> }[];
}): string[] {
  return [...new Set(added.map(({ now }) => operationName(now.tool, now.operation)))].sort();
}

/** @throws `preflight_failed` when a step would be added of an operation that is not what the plan was shown with */
export function requireSameOperations(
  digests: OperationDigests,
  catalogue: Pick<Catalogue, 'get'>,
  names: readonly string[],
): void {
  for (const name of names) {
    const reason = findChangedOperation(digests, catalogue, name);
    if (reason !== null) throw new CountersignError('preflight_failed', reason);
  }
}
