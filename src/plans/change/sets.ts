// Patch operations on progress, resolved as sets.
import type { Queryable } from '#db/database.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { hasSteps } from '#db/sql/impact.ts';
import { findChangedSince } from '#db/sql/patch-reads.ts';
import { countAffected, findUsers, type RerunStep, readForRerun } from '#db/sql/rerun.ts';
import { CountersignError } from '#domain/errors.ts';
import type { PatchOperation } from '#domain/plan/patch.ts';
import type { StepStatus } from '#domain/plan/plan.ts';
import type { StepSelector } from '#domain/plan/step-selector.ts';
import { type Conflict, patchConflict, stepsMissing } from './conflicts.ts';
import { repeatsCall } from './flows.ts';
import type { PatchEffect } from './patch-effect.ts';

const over: StepStatus[] = ['stale', 'succeeded', 'failed', 'skipped'];
/** Conflict if named. */
const underWay: StepStatus[] = ['running', 'unknown', 'waiting', 'cancelled'];

const maxNamed = 10;
const maxListed = 1000;

function requireKnown({ ids = [] }: StepSelector, found: RerunStep[]): void {
  const known = new Set(found.map(({ id }) => id));
  const missing = ids.filter((id) => !known.has(id));
  if (missing.length === 0) return;
  throw new CountersignError(
    'unknown_step',
    `This plan has no step ${missing.slice(0, maxNamed).join(', ')}.`,
    { details: { missing: missing.slice(0, maxListed) } },
  );
}

/** @throws `patch_conflict` for steps that are under way or changed since */
async function findRerun(
  tx: Queryable,
  row: PlanRow,
  steps: StepSelector,
  base: number,
): Promise<RerunStep[]> {
  const found = await readForRerun(tx, row.id, steps);
  requireKnown(steps, found);
  const named = new Set(steps.ids ?? []);
  const changed =
    named.size === 0 ? new Set() : await findChangedSince(tx, row.id, base, [...named]);
  const conflicts: Conflict[] = found.filter(
    ({ id, status }) => named.has(id) && (changed.has(id) || underWay.includes(status)),
  );
  if (conflicts.length > 0) throw patchConflict(row, conflicts, base);
  return found.filter(({ status }) => over.includes(status));
}

/** @throws `unknown_step`, `patch_conflict` */
export async function resolveSets(
  tx: Queryable,
  row: PlanRow,
  operations: PatchOperation[],
  base: number,
  effect: PatchEffect,
): Promise<void> {
  const again = new Map<number, RerunStep>();
  const removed = new Set(effect.removed.map(({ position }) => position));
  for (const operation of operations) {
    if (operation.op === 'invalidate_steps') {
      const { steps, reason = null } = operation;
      if (!(await hasSteps(tx, row.id, steps)))
        throw new CountersignError(
          'unknown_step',
          'The change names steps that the plan does not have.',
        );
      const count = await countAffected(tx, row.id, steps);
      effect.invalidated.push({ steps, reason, count });
    }
    if (operation.op === 'rerun_steps') {
      for (const step of await findRerun(tx, row, operation.steps, base))
        if (!removed.has(step.position)) again.set(step.position, step);
    }
  }
  effect.rerun.push(...again.values());
  // Otherwise checked once they are stale.
  if (effect.invalidated.length === 0) await requireUsers(tx, row, effect);
}

/** Selectors may match more at approval than when shown. @throws `patch_conflict` if that would repeat an unrepeatable call */
export async function requireShownCalls(
  tx: Queryable,
  row: PlanRow,
  base: number,
  { rerun }: PatchEffect,
): Promise<void> {
  const repeated = rerun.filter(repeatsCall);
  if (repeated.length === 0) return;
  const ids = repeated.map(({ id }) => id);
  const changed = await findChangedSince(tx, row.id, base, ids);
  if (changed.size === 0) return;
  throw patchConflict(
    row,
    repeated.filter(({ id }) => changed.has(id)),
    base,
  );
}

/** @throws `steps_missing` if a user of a rerun step's output doesn't rerun */
export async function requireUsers(
  tx: Queryable,
  row: PlanRow,
  { rerun, removed }: PatchEffect,
): Promise<void> {
  if (rerun.length === 0) return;
  const positions = rerun.map(({ position }) => position);
  const gone = removed.map(({ position }) => position);
  const users = await findUsers(tx, row.id, positions, gone);
  if (users.length === 0) return;
  const ids = users.map(({ id }) => id);
  const them = ids.length === 1 ? 'it' : 'them';
  throw stepsMissing(
    ids,
    (names) =>
      `${names} used the output of steps that would run again: run ${them} again too, or make ${them} stale.`,
  );
}
