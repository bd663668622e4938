// Conflicts: what a patch touches has begun or changed.
import type { PlanRow } from '#db/plans/plans.ts';
import { endable, notBegun } from '#db/sql/patch-reads.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Step } from '#domain/plan/plan.ts';
import { listSome } from '#domain/words.ts';
import { currentOf } from '../lifecycle/decide.ts';

const maxNamed = 10;
const maxListed = 1000;

export type Conflict = Pick<Step, 'id' | 'status'>;

/** May have had an effect. */
export function hasBegun({ status, attempt }: Pick<Step, 'status' | 'attempt'>): boolean {
  return attempt > 0 || !notBegun.includes(status);
}

/** Not begun, or neither under way nor done. */
export function canBeRemoved(step: Pick<Step, 'status' | 'attempt'>): boolean {
  return !hasBegun(step) || endable.includes(step.status);
}

function nameSteps(conflicts: Conflict[]): string {
  const names = conflicts.map(({ id, status }) => `${id} (${status})`);
  return listSome(names, maxNamed, 'step');
}

export function patchConflict(
  row: PlanRow,
  conflicts: Conflict[],
  baseRevision: number,
): CountersignError {
  const one = conflicts.length === 1;
  return new CountersignError(
    'patch_conflict',
    `${one ? 'Step' : 'Steps'} ${nameSteps(conflicts)} ${one ? 'has' : 'have'} begun or changed since revision ${baseRevision}. Nothing was changed; ${row.revision === baseRevision ? 'a step that waits or failed can be replaced or removed instead' : `read the plan at revision ${row.revision} and send the change again`}.`,
    {
      details: {
        current: currentOf(row),
        steps: conflicts.slice(0, maxListed),
        steps_total: conflicts.length,
      },
    },
  );
}

/** @param describe given the names of the first `ids` */
export function stepsMissing(ids: string[], describe: (names: string) => string): CountersignError {
  return new CountersignError('steps_missing', describe(listSome(ids, maxNamed, 'step')), {
    details: { missing: ids.slice(0, maxListed), missing_total: ids.length },
  });
}

/** @throws `patch_conflict` for a future revision */
export function requirePast(row: PlanRow, baseRevision: number): void {
  if (baseRevision <= row.revision) return;
  throw new CountersignError(
    'patch_conflict',
    `The plan is at revision ${row.revision}; ${baseRevision} has not happened yet. Nothing was changed; read the plan and send the change again.`,
    { details: { current: currentOf(row), steps: [], steps_total: 0 } },
  );
}
