// Approves a patch that widens an approved plan, as shown.
import { readManifests } from '#db/backends.ts';
import type { Queryable, Transaction } from '#db/database.ts';
import { showName } from '#db/people/identities.ts';
import {
  findShownPatch,
  findWaitingPatch,
  type PatchRow,
  readAddedOperations,
  readPatch,
  settlePatch,
} from '#db/plans/patches.ts';
import { lockPlan, type PlanRow, readPlanRow } from '#db/plans/plans.ts';
import { findDeadPredecessors } from '#db/sql/patch-reads.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { Approval } from '#domain/service.ts';
import { countApproval, requireStartsShown, showingPassed } from '../authority/approvals.ts';
import { readAuthority, requireApprover } from '../authority/authority.ts';
import { applyPatch } from '../change/apply.ts';
import { type Conflict, patchConflict } from '../change/conflicts.ts';
import { settleByPatch } from '../change/follow-patch.ts';
import type { PatchEffect } from '../change/patch-effect.ts';
import { dropPatch, requirePatchable, rulesFor } from '../change/receive.ts';
import { requireShownCalls } from '../change/sets.ts';
import { isAsShown, readChange } from '../change/waiting.ts';
import { addedOperations, digestOperations, requireSameOperations } from '../content/digests.ts';
import { findVersion, requirePreflight } from '../content/preflight.ts';
import { clockTime, currentOf, type Ruling } from '../lifecycle/decide.ts';
import { finishIfDone, reviveSkipped } from '../lifecycle/ended-steps.ts';
import { wakeWatchers } from '../lifecycle/lifecycle.ts';
import { sourcesOf } from '../lifecycle/lifecycle-table.ts';
import type { PlansContext } from '../plans-context.ts';
import { readPassedInPatch } from './passed-starts.ts';
import { continuePlan } from './resume.ts';

type ShownPatch = Omit<PatchRow, 'operations'>;

/** Null if about the plan. @throws `digest_mismatch` for the waiting version with another digest */
export async function findPatchToApprove(
  db: Queryable,
  planId: string,
  { version, digest }: Approval,
): Promise<ShownPatch | null> {
  const shown = await findShownPatch(db, planId, digest);
  if (shown !== null) return shown;
  const row = await readPlanRow(db, planId);
  const pending = version === row.version + 1 ? await findWaitingPatch(db, planId) : null;
  if (pending === null) return null;
  throw new CountersignError(
    'digest_mismatch',
    `This isn't the change that is waiting: its digest is ${pending.digest.slice(0, 8)}. Reload the card and read it again.`,
    { details: { current: currentOf(row) } },
  );
}

export async function operationsWith(
  db: Queryable,
  row: Pick<PlanRow, 'tools_required'>,
  patchId: string,
): Promise<string[]> {
  return [...new Set([...row.tools_required, ...(await readAddedOperations(db, patchId))])].sort();
}

const ends: Record<ShownPatch['status'], string> = {
  applied: 'was approved',
  needs_approval: 'waits',
  rejected: 'was rejected',
  superseded: 'was overtaken',
};

/** @throws `already_decided` */
async function requireWaiting(db: Queryable, row: PlanRow, patch: ShownPatch): Promise<void> {
  if (patch.status === 'needs_approval') return;
  const by = patch.decided_by === null ? '' : ` by ${await showName(db, patch.decided_by)}`;
  throw new CountersignError(
    'already_decided',
    `This change (${patch.id}) ${ends[patch.status]}${by} at ${clockTime(patch.decided_at)}; your approval changed nothing.`,
    { details: { current: currentOf(row) } },
  );
}

/** @throws `invalid_request`, `stale_version` */
function requireWhole(row: PlanRow, patch: ShownPatch, { version, steps, except }: Approval): void {
  if (steps !== undefined || except !== undefined) {
    throw new CountersignError(
      'invalid_request',
      'A change can only be approved as a whole. Approve it without naming steps, or reject it.',
    );
  }
  if (version === patch.version) return;
  throw new CountersignError(
    'stale_version',
    `This change makes version ${patch.version}, not ${version}. Reload the card and read it again.`,
    { details: { current: currentOf(row) } },
  );
}

/** @throws `preflight_failed` if a needed tool doesn't answer */
async function requireTools(
  { db, catalogue: catalogues }: PlansContext,
  row: PlanRow,
  patch: ShownPatch,
): Promise<void> {
  await catalogues.refresh(() => readManifests(db.query));
  const catalogue = catalogues.of(row.tenant);
  const names = await readAddedOperations(db.query, patch.id);
  const tools = new Set(names.map((name) => catalogue.get(name)?.tool ?? name));
  const states = await Promise.all([...tools].map((tool) => catalogue.check(tool)));
  requirePreflight(
    states.flatMap((state) => (state.ok ? [] : [{ step_id: null, reason: state.reason }])),
  );
}

/** A stopped plan continues, unless something is added behind a failed step, which a person must retry. */
async function willRun(db: Queryable, row: PlanRow, { edgesAdded }: PatchEffect): Promise<boolean> {
  if (row.status === 'executing') return true;
  if (!sourcesOf('continue').includes(row.status)) return false;
  return (await findDeadPredecessors(db, row.id, edgesAdded, true)).length === 0;
}

/** New prerequisites that will never be done. */
export async function findDead(
  db: Queryable,
  row: PlanRow,
  effect: PatchEffect,
): Promise<Conflict[]> {
  return findDeadPredecessors(db, row.id, effect.edgesAdded, await willRun(db, row, effect));
}

/** @throws `patch_conflict` if its steps progressed: never applicable */
async function applyApproved(
  context: PlansContext,
  tx: Transaction,
  row: PlanRow,
  shown: ShownPatch,
  actor: Actor,
): Promise<PlanRow> {
  const patch = await readPatch(tx, shown.id);
  const effect = await readChange(tx, row, rulesFor(context, row), patch);
  const names = addedOperations(effect);
  const catalogue = context.catalogue.of(row.tenant);
  const { plan_id: id, version } = patch;
  const { operation_digests } = (await findVersion(tx, { id, version })) ?? row;
  requireSameOperations(operation_digests, catalogue, names, 'change');
  await requireShownCalls(tx, row, patch.base_revision, effect);
  await settlePatch(tx, patch.id, 'applied', actor.id);
  const continues = await willRun(tx, row, effect);
  const running = continues ? await continuePlan(context, tx, row, actor) : row;
  const patched = await applyPatch(context, tx, { ...running, operation_digests }, effect, {
    patchId: patch.id,
    actor,
    baseRevision: patch.base_revision,
    reason: patch.reason,
    approved: true,
  });
  if (!isAsShown(row, patch, patched, digestOperations(catalogue, names, operation_digests)))
    throw new CountersignError(
      'preflight_failed',
      'The change differs from the one shown: its digest has changed. Nothing was changed. Reject the change and propose it again.',
    );
  await settleByPatch(tx, row.id, patch.id, actor);
  if (running.status === row.status) return patched;
  await reviveSkipped(tx, row.id, context.onFailure);
  return lockPlan(tx, row.id);
}

/** @returns the error to report */
async function giveUp(
  context: PlansContext,
  shown: ShownPatch,
  actor: Actor,
  conflict: CountersignError,
): Promise<CountersignError> {
  await context.db.transaction(async (tx) => {
    const row = await lockPlan(tx, shown.plan_id);
    if ((await findWaitingPatch(tx, row.id))?.id !== shown.id) return;
    const by = { actor, reason: 'the plan went on before it was approved' };
    const now = await dropPatch(tx, row, shown, 'superseded', by);
    await finishIfDone(context, tx, now, now, actor);
    await wakeWatchers(tx, context.enqueue, row.id);
  });
  return new CountersignError('patch_conflict', `${conflict.message} The change was dropped.`, {
    details: conflict.details,
  });
}

/** @throws `patch_conflict` if its steps progressed; then drops the change */
async function requireApplicable(
  context: PlansContext,
  row: PlanRow,
  shown: ShownPatch,
  actor: Actor,
): Promise<void> {
  const { query } = context.db;
  try {
    const patch = await readPatch(query, shown.id);
    const effect = await readChange(query, row, rulesFor(context, row), patch);
    const dead = await findDead(query, row, effect);
    if (dead.length > 0) throw patchConflict(row, dead, patch.base_revision);
    await requireShownCalls(query, row, patch.base_revision, effect);
  } catch (error) {
    if (error instanceof CountersignError && error.code === 'patch_conflict')
      throw await giveUp(context, shown, actor, error);
    throw error;
  }
}

/**
 * Applied once every rule is satisfied.
 * @throws (with it) `not_allowed`, `already_decided`, `stale_version`, `invalid_request`, `preflight_failed`, `times_passed`,
 * `patch_conflict`
 */
export function changeApproval(
  context: PlansContext,
  shown: ShownPatch,
  approval: Approval,
  actor: Actor,
): Ruling<PlanRow, void, null> {
  const { db, clock } = context;
  const id = shown.plan_id;
  let now = shown;
  const requireTimes = async (q: Queryable, row: PlanRow) => {
    const starts = await readPassedInPatch(q, id, await readPatch(q, shown.id), clock.now());
    requireStartsShown(row, starts, approval, true);
  };
  return {
    lock: (tx) => lockPlan(tx, id),
    async requireAllowed(q, row) {
      const operations = await operationsWith(q, row, shown.id);
      requireApprover(await readAuthority(q, context, { plan: row, actor, operations }), actor);
    },
    async isRepeated(q, row) {
      requireWhole(row, shown, approval);
      now = (await findShownPatch(q, id, shown.digest)) ?? shown;
      return now.status === 'applied' && now.decided_by === actor.id;
    },
    async requireCurrent(q, row) {
      await requireWaiting(q, row, now);
      requirePatchable(row);
    },
    prepare: {
      read: (q) => readPlanRow(q, id),
      async ask(row) {
        await requireTools(context, row, shown);
        await requireApplicable(context, row, shown, actor);
        await showingPassed(context, id, () => requireTimes(db.query, row));
      },
    },
    async apply(tx, row) {
      await requireTimes(tx, row);
      const { version, digest } = shown;
      const operations = await operationsWith(tx, row, shown.id);
      const subject = { plan: row, operations };
      if (!(await countApproval(context, tx, { id, version, digest }, subject, actor))) return null;
      const patched = await applyApproved(context, tx, row, shown, actor);
      await finishIfDone(context, tx, patched, patched, actor);
      return null;
    },
  };
}
