// From the operations of a patch to what they change, against the steps as they are under the plan's lock. Reads what
// the patch names and nothing else; stores nothing.
import { CountersignError } from '#contracts/errors.ts';
import type { PinnedOperation } from '#contracts/patch.ts';
import type { Queryable } from '#store/database.ts';
import type { PlanRow } from '#store/plans.ts';
import { findChangedSince, findSelected, nextPosition } from '#store/sql/patch-reads.ts';
import { readStepsById } from '#store/step-pages.ts';
import type { StepRules } from './normalise-step.ts';
import { requirePast } from './patch-conflicts.ts';
import { checkPatchOrder, requireClosedRemoval } from './patch-graph.ts';
import type { PatchEffect } from './patch-model.ts';
import { idsIn, selectorsIn } from './patch-names.ts';
import { Resolution } from './patch-resolution.ts';
import { Selection } from './patch-selection.ts';

type Patch = { base_revision: number; operations: PinnedOperation[] };

const isText = (value: string | undefined): value is string => value !== undefined;

/**
 * What the patch changes. The caller holds the plan's lock, or takes it for what it would change now.
 * @throws `patch_conflict`, `steps_missing`, `dependency_cycle`, `unknown_step` and what is wrong with steps that are
 *   added or changed
 */
export async function resolvePatch(
  tx: Queryable,
  row: PlanRow,
  rules: StepRules,
  { base_revision: base, operations }: Patch,
): Promise<PatchEffect> {
  requirePast(row, base);
  const selectors = selectorsIn(operations);
  const partitions = [...new Set(selectors.map(({ partition }) => partition).filter(isText))];
  const tags = [...new Set(selectors.map(({ tag }) => tag).filter(isText))];
  const selected = await findSelected(tx, row.id, partitions, tags);
  const ids = idsIn(operations);
  for (const { step_id } of selected) ids.add(step_id);
  const named = await readStepsById(tx, row.id, [...ids]);
  const touched = new Set(named.flatMap(({ after }) => after.map(({ id }) => id)));
  for (const { id } of named) touched.delete(id);
  const behind = touched.size === 0 ? [] : await readStepsById(tx, row.id, [...touched]);
  const steps = [...named, ...behind];
  const changed = await findChangedSince(tx, row.id, base, [...ids]);
  const resolution = new Resolution(
    row,
    rules,
    base,
    steps,
    changed,
    new Selection(selected),
    await nextPosition(tx, row.id),
  );
  resolution.run(operations);
  const effect = resolution.effect();
  if (effect.added.length + effect.changed.length + effect.removed.length === 0) {
    throw new CountersignError('invalid_request', 'This change changes nothing.');
  }
  await requireClosedRemoval(tx, row.id, effect);
  await checkPatchOrder(tx, row.id, effect);
  return effect;
}
