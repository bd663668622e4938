// A patch by the system: applied at once and stored. Only for changes that need no approval.
import type { Transaction } from '#db/database.ts';
import { insertPatch } from '#db/plans/patches.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { system } from '#domain/people/actor.ts';
import type { PatchOperation } from '#domain/plan/patch.ts';
import type { PlansContext } from '../plans-context.ts';
import { applyPatch } from './apply.ts';
import type { PatchEffect } from './model.ts';

/** Applies `effect`, resolved from `operations` under the plan's lock. @returns the plan's updated row */
export async function applyBySystem(
  context: PlansContext,
  tx: Transaction,
  row: PlanRow,
  operations: PatchOperation[],
  effect: PatchEffect,
  reason: string,
): Promise<PlanRow> {
  const id = `PATCH-${context.random.hex(4)}`;
  const decision = {
    patchId: id,
    actor: system,
    baseRevision: row.revision,
    reason,
    approved: false,
  };
  const patched = await applyPatch(context, tx, row, effect, decision);
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
