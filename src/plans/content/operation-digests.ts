// Digests of a plan's operations when it was shown, and whether the operations still match.
import { CountersignError } from '#domain/errors.ts';
import { type Catalogue, operationName } from '#domain/tool.ts';
import { describeChange, digestOperation } from '#tools/catalogue.ts';
import type { StepBody } from './normalise-step.ts';

/** Digests of operations by name. Plans stored before operations had digests have none and are not compared. */
export type OperationDigests = Record<string, string>;

/** The digests of these operations as in `shown`, or else the current ones; one that is not offered has none. */
export function digestOperations(
  catalogue: Pick<Catalogue, 'get'>,
  names: readonly string[],
  shown: OperationDigests = {},
): OperationDigests {
  return Object.fromEntries(
    names.flatMap((name) => {
      if (Object.hasOwn(shown, name)) return [[name, shown[name] ?? '']];
      const spec = catalogue.get(name);
      return spec === undefined ? [] : [[name, digestOperation(spec)]];
    }),
  );
}

/** How an operation changed since the plan or change was shown, as a sentence, or null if it did not or has no digest. */
export function findChangedOperation(
  digests: OperationDigests,
  catalogue: Pick<Catalogue, 'get'>,
  name: string,
  what: 'plan' | 'change' = 'plan',
): string | null {
  const shown = Object.hasOwn(digests, name) ? digests[name] : undefined;
  const spec = catalogue.get(name);
  if (shown === undefined || spec === undefined) return null;
  const change = describeChange(shown, spec);
  return change === null
    ? null
    : `${name} changed since this ${what} was shown: ${change}. Propose the ${what} again.`;
}

/** The operations that a patch adds steps of. */
export function addedOperations({
  added,
}: {
  added: readonly { now: Pick<StepBody, 'tool' | 'operation'> }[];
}): string[] {
  return [...new Set(added.map(({ now }) => operationName(now.tool, now.operation)))].sort();
}

/** @throws `preflight_failed` if the operation of an added step differs from the one that was shown */
export function requireSameOperations(
  digests: OperationDigests,
  catalogue: Pick<Catalogue, 'get'>,
  names: readonly string[],
  what: 'plan' | 'change' = 'plan',
): void {
  for (const name of names) {
    const reason = findChangedOperation(digests, catalogue, name, what);
    if (reason !== null) throw new CountersignError('preflight_failed', reason);
  }
}
