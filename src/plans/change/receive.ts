// Receives a patch, applied or refused as a whole.
import { recordAudit } from '#db/audit/audit.ts';
import { readManifests } from '#db/backends.ts';
import type { Commit, Queryable, Transaction } from '#db/database.ts';
import { showName } from '#db/people/identities.ts';
import {
  findWaitingPatch,
  forgetApprovals,
  insertPatch,
  type PatchRow,
  readPatchOutcome,
  settlePatch,
} from '#db/plans/patches.ts';
import { lockPlan, type PlanRow, readPlanRow } from '#db/plans/plans.ts';
import { hasPatchSince } from '#db/sql/patch-reads.ts';
import { touchPlan } from '#db/steps/events.ts';
import { CountersignError, Problems } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import {
  addedBy,
  type PatchOperation,
  type PinnedOperation,
  type PlanPatch,
} from '#domain/plan/patch.ts';
import type { PatchOutcome } from '#domain/plan/patch-outcome.ts';
import type { JsonObject } from '#domain/text.ts';
import { requireManager } from '../authority/authority.ts';
import { requireArtifacts } from '../content/artifact-references.ts';
import { addedOperations, digestOperations, requireSameOperations } from '../content/digests.ts';
import { pinPatchPosts } from '../content/post-targets.ts';
import { currentOf } from '../lifecycle/decide.ts';
import { finishIfDone } from '../lifecycle/ended-steps.ts';
import { wakeWatchers } from '../lifecycle/lifecycle.ts';
import { statusWords } from '../lifecycle/lifecycle-table.ts';
import type { PlansContext } from '../plans-context.ts';
import { reservedId } from '../series/normalise.ts';
import { applyWithoutApproval, drawPatchId, storeWaiting } from './apply.ts';
import { classifyPatch } from './classify.ts';
import { reopenByPatch } from './follow-patch.ts';
import { countChanges, type PatchEffect } from './patch-effect.ts';
import { pinTargets } from './pin.ts';
import { resolveNotes } from './prerequisites.ts';
import { readNear } from './read-near.ts';
import { type PatchRules, resolvePatch } from './resolve.ts';
import { digestChange, digestOfOperations, hasVersion } from './waiting.ts';
import { isGated } from './write-version.ts';

type WaitingPatch = Pick<PatchRow, 'id' | 'plan_id' | 'version' | 'digest' | 'base_revision'>;

export function rulesFor(context: PlansContext, { tenant }: Pick<PlanRow, 'tenant'>): PatchRules {
  return {
    catalogue: context.catalogue.of(tenant),
    guarded: new Set(context.guardedTools),
    pools: context.resourcePools,
    profile: context.profile,
    now: context.clock.now(),
  };
}

/** @throws `invalid_transition` naming the status */
export function requirePatchable(row: PlanRow): void {
  const changeable: PlanRow['status'][] = [
    'proposed',
    'needs_review',
    'approved',
    'executing',
    'stalled',
  ];
  if (changeable.includes(row.status)) return;
  // A plan that ended continues with the change.
  const ended = row.status === 'failed' || row.status === 'completed';
  if (ended && row.execution_started_at !== null) return;
  throw new CountersignError(
    'invalid_transition',
    `This plan is ${statusWords[row.status]} (${row.status}), so it can't be changed. Propose a new one.`,
    { details: { current: currentOf(row) } },
  );
}

/** Planners share a name, so one replaces only a patch it has seen. @throws `patch_conflict` if another's patch waits */
export async function findReplaced(
  tx: Queryable,
  row: PlanRow,
  actor: Actor,
  baseRevision: number,
): ReturnType<typeof findWaitingPatch> {
  const pending = await findWaitingPatch(tx, row.id);
  if (pending === null) return null;
  const isOwn = pending.proposed_by === actor.id;
  if (isOwn && (actor.kind === 'person' || !(await hasPatchSince(tx, row.id, baseRevision))))
    return pending;
  throw new CountersignError(
    'patch_conflict',
    `A change by ${await showName(tx, pending.proposed_by)} (${pending.id}, version ${pending.version}) is waiting for approval and must be decided first. Nothing was changed.`,
    {
      details: {
        current: currentOf(row),
        patch: { patch_id: pending.id, version: pending.version, digest: pending.digest },
        steps: [],
        steps_total: 0,
      },
    },
  );
}

async function recordPatchChange(
  tx: Transaction,
  what: 'proposed' | 'rejected' | 'superseded',
  { id, plan_id: planId, version, digest, base_revision }: WaitingPatch,
  actor: Actor,
  reason: string | undefined,
  data: JsonObject = {},
): Promise<void> {
  const action = `patch_${what}`;
  const words = reason === undefined || what === 'proposed' ? '' : `: ${reason}`;
  await touchPlan(tx, planId, action, `version ${version} by ${actor.id}${words}`);
  const why = reason === undefined ? {} : { reason };
  const about = { patch: id, base_revision, ...data };
  await recordAudit(tx, [{ planId, actor, action, version, digest, ...why, data: about }]);
}

/** Under the plan's lock. */
export async function dropPatch(
  tx: Transaction,
  row: PlanRow,
  patch: WaitingPatch,
  status: 'rejected' | 'superseded',
  { actor, reason }: { actor: Actor; reason?: string },
): Promise<PlanRow> {
  await settlePatch(tx, patch.id, status, actor.id);
  await forgetApprovals(tx, patch);
  await reopenByPatch(tx, row.id, patch.id);
  await recordPatchChange(tx, status, patch, actor, reason);
  return lockPlan(tx, row.id);
}

/** @throws `reserved_id` for names of occurrences, which only the system adds */
export function requireOwnIds(operations: PatchOperation[]): void {
  const problems = new Problems();
  for (const [index, operation] of operations.entries()) {
    const id = addedBy(operation)?.id;
    if (id === undefined || !id.includes('#')) continue;
    const path = operation.op === 'replace_step' ? 'by' : 'step';
    problems.add('reserved_id', `operations[${index}].${path}.id`, reservedId(id));
  }
  problems.settle();
}

/** @param runId whose artifacts may be used @throws if invalid */
export async function resolveProposed(
  context: PlansContext,
  db: Queryable,
  row: PlanRow,
  patch: Pick<PlanPatch, 'base_revision'> & { operations: PinnedOperation[] },
  runId: string | null,
): Promise<PatchEffect> {
  const rules = rulesFor(context, row);
  const effect = await resolvePatch(db, row, rules, patch);
  const touched = [...effect.added, ...effect.changed].map(({ now }) => now);
  await requireArtifacts(db, { planId: row.id, runId }, touched);
  requireSameOperations(row.operation_digests, rules.catalogue, addedOperations(effect));
  return effect;
}

/** Under the plan's lock. */
async function takePatch(
  context: PlansContext,
  tx: Transaction,
  seen: PlanRow,
  {
    base_revision,
    operations,
    reason,
    title,
    summary,
  }: Omit<PlanPatch, 'operations'> & { operations: PinnedOperation[] },
  actor: Actor,
  { id, hold }: { id: string; hold: boolean },
): Promise<PlanRow> {
  requirePatchable(seen);
  if (isGated(seen) && (title ?? summary) !== undefined)
    throw new CountersignError(
      'invalid_request',
      'An approved plan keeps its title and summary. Leave them out of the change.',
    );
  const replaced = await findReplaced(tx, seen, actor, base_revision);
  const change = { base_revision, operations };
  const effect = await resolveProposed(context, tx, seen, change, seen.run_id);
  const widening = isGated(seen)
    ? classifyPatch(effect, new Set(seen.tools_required), await readNear(tx, seen.id, effect))
    : [];
  if (effect.rerun.length > 0 && (seen.status === 'completed' || seen.status === 'failed')) {
    widening.push('Continues a plan that has ended: some of its steps run again.');
  }
  if (hold && isGated(seen) && widening.length === 0) {
    widening.push('A planner proposes it, so a person decides.');
  }
  const by = { actor, reason: `replaced by ${id}` };
  const row = replaced === null ? seen : await dropPatch(tx, seen, replaced, 'superseded', by);
  if (widening.length === 0)
    return applyWithoutApproval(context, tx, row, operations, effect, {
      patchId: id,
      actor,
      baseRevision: base_revision,
      reason: reason ?? null,
      words: {
        ...(title === undefined ? {} : { title }),
        ...(summary === undefined ? {} : { summary }),
      },
    });
  const version = row.version + 1;
  const catalogue = context.catalogue.of(row.tenant);
  const digests = digestOperations(catalogue, addedOperations(effect), row.operation_digests);
  const digest = hasVersion(operations)
    ? digestChange(await storeWaiting(context, tx, row, effect), operations)
    : digestOfOperations(row, { version, operations }, digests);
  const patch = {
    id,
    plan_id: row.id,
    base_revision,
    status: 'needs_approval' as const,
    version,
    digest,
    operations,
    widening,
    ...countChanges(effect),
    reason: reason ?? null,
    proposed_by: actor.id,
  };
  await insertPatch(tx, patch);
  await recordPatchChange(tx, 'proposed', patch, actor, reason, { base_digest: row.digest });
  await wakeWatchers(tx, context.enqueue, row.id);
  return lockPlan(tx, row.id);
}

/**
 * The author is a model or someone who may decide.
 * @param within more changes in the transaction
 * @param hold wait for approval even if it narrows
 * @param id for callers that may resend
 * @throws `plan_not_found`, `not_allowed`, `invalid_transition`, `patch_conflict`, `steps_missing`, `dependency_cycle`,
 * `unknown_step`, `empty_plan`, `reserved_id`, step errors
 */
export async function checkPatch(
  context: PlansContext,
  planId: string,
  patch: PlanPatch,
  actor: Actor,
  within: (tx: Transaction, row: PlanRow) => Promise<void>,
  hold = false,
  id = drawPatchId(context),
): Promise<Commit<PatchOutcome>> {
  requireOwnIds(patch.operations);
  await context.catalogue.refresh(() => readManifests(context.db.query));
  const requireAllowed = async (db: Queryable, row: PlanRow): Promise<void> => {
    if (actor.kind === 'person') await requireManager(db, context, row, actor);
  };
  const { query } = context.db;
  const before = await readPlanRow(query, planId);
  await requireAllowed(query, before);
  const named = await pinPatchPosts(context, before, patch);
  const resolved = { ...patch, operations: await resolveNotes(query, planId, named.operations) };
  const operations = await pinTargets(query, before, rulesFor(context, before), resolved);
  return async (tx) => {
    const row = await lockPlan(tx, planId);
    await requireAllowed(tx, row);
    const patched = await takePatch(context, tx, row, { ...patch, operations }, actor, {
      id,
      hold,
    });
    await within(tx, patched);
    await finishIfDone(context, tx, patched, patched, actor);
    return readPatchOutcome(tx, id);
  };
}
