// A patch of the system: applied at once and stored as such. Only what needs no approval is changed this way.
import type { Transaction } from '#db/database.ts';
import { insertPatch } from '#db/plans/patches.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { system } from '#domain/people/actor.ts';
import type { PatchOperation } from '#domain/plan/patch.ts';
import type { PlansContext } from '../plans-context.ts';
import { applyPatch } from './apply.ts';
import type { PatchEffect } from './model.ts';

/** Applies `effect`, which `operations` have under the plan's lock. @returns the plan's row with it */
export async function applyBySystem(
  context: PlansContext,
  tx: Transaction,
  row: PlanRow,
  operations: PatchOperation[],
  effect: PatchEffect,
  reason: string,
): Promise<PlanRow> {
  const id = `PATCH-${context.random.hex(4)}`;
  const deed = { patchId: id, actor: system, baseRevision: row.revision, reason, approved: false };
  const patched = await applyPatch(context, tx, row, effect, deed);
  await insertPatch(tx, {
    id,
    plan_id: row.id,
    base_revision: row.revision,
    version: patched.version,
    digest: patched.digest,
    status: 'applied',
    operations,
    widening: [],
    added: effect.added.length,
    changed: effect.changed.length,
    removed: effect.removed.length,
    rerun: 0,
    invalidated: 0,
    reason,
    proposed_by: system.id,
  });
  return patched;
}
