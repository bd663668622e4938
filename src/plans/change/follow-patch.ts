// Updates a finding after its change was decided, under the plan's lock.
import { and, eq, like } from 'drizzle-orm';
import type { Queryable } from '#db/database.ts';
import { openFinding, updateFindings } from '#db/plans/findings.ts';
import { readCovered } from '#db/plans/replanning.ts';
import { planFindings } from '#db/schema.ts';
import type { Actor } from '#domain/people/actor.ts';

/** Once applied, unless steps are still stale. */
export async function settleByPatch(
  tx: Queryable,
  planId: string,
  patchId: string,
  actor: Actor,
): Promise<void> {
  const about = eq(planFindings.patch_id, patchId);
  const waiting = await updateFindings(
    tx,
    planId,
    ['awaiting_approval'],
    { status: 'open' },
    about,
  );
  for (const { id } of waiting) await resolveIfClear(tx, planId, id, actor);
}

/** If no stale steps are left. @returns whether it was settled */
export async function resolveIfClear(
  tx: Queryable,
  planId: string,
  id: string,
  actor: Actor,
): Promise<boolean> {
  const left = await readCovered(tx, planId, id, ['stale', 'running', 'unknown']);
  if (left.length > 0) return false;
  const by = { status: 'resolved' as const, settled_by: actor.id };
  await updateFindings(tx, planId, openFinding, by, eq(planFindings.id, id));
  const given = and(
    eq(planFindings.category, 'replanning'),
    like(planFindings.key, `replanning ${id} %`),
  );
  await updateFindings(tx, planId, openFinding, by, given);
  return true;
}

/** A person decides again. */
export async function reopenByPatch(tx: Queryable, planId: string, patchId: string): Promise<void> {
  const about = eq(planFindings.patch_id, patchId);
  await updateFindings(
    tx,
    planId,
    ['awaiting_approval'],
    { status: 'open', patch_id: null },
    about,
  );
}
