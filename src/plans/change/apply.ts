// Applies a patch; costs what changes, and the digest.
import { eq, sql } from 'drizzle-orm';
import { recordAudit } from '#db/audit/audit.ts';
import type { Transaction } from '#db/database.ts';
import { notify } from '#db/notify.ts';
import { linkOccurrences } from '#db/planning/artifacts.ts';
import { insertPatch } from '#db/plans/patches.ts';
import { lockPlan, type PlanRow } from '#db/plans/plans.ts';
import { plans, planVersions } from '#db/schema.ts';
import { findNewlyCovered, makeStale } from '#db/sql/impact.ts';
import { recountSteps, reviveSteps, settleReadiness, tellSteps } from '#db/sql/patch.ts';
import { findDeadEnds, readPredecessors, readUses } from '#db/sql/patch-reads.ts';
import { findAddressed, rerunSteps } from '#db/sql/rerun.ts';
import { touchPlan } from '#db/steps/events.ts';
import { iterateSteps } from '#db/steps/pages.ts';
import { readLanes } from '#db/steps/steps.ts';
import { countOperations, insertWaiting, iterateContents } from '#db/steps/versions.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { RaisedFinding } from '#domain/plan/finding.ts';
import type { PinnedOperation } from '#domain/plan/patch.ts';
import type { StepContent } from '#domain/plan/step-content.ts';
import { mapInSlices } from '#domain/slices.ts';
import { operationName } from '#domain/tool.ts';
import { countOf } from '#domain/words.ts';
import { addedOperations, digestOperations, digestPlan } from '../content/digests.ts';
import { bindStep } from '../content/normalise-step.ts';
import { headerOf, readVersion, type VersionRow } from '../content/preflight.ts';
import { Lanes } from '../content/touches.ts';
import { raiseFindings } from '../findings/raise.ts';
import { wakeWatchers, wakeWorkers } from '../lifecycle/lifecycle.ts';
import type { PlansContext } from '../plans-context.ts';
import { endOfLast } from '../series/series.ts';
import { patchConflict } from './conflicts.ts';
import {
  changesContent,
  countChanges,
  type PatchEffect,
  type VersionStep,
} from './patch-effect.ts';
import { requireUsers } from './sets.ts';
import { isGated, type NextVersion, writeVersion } from './write-version.ts';

/** Author and audit data. */
export type PatchDecision = {
  patchId: string;
  actor: Actor;
  baseRevision: number;
  reason: string | null;
  /** By the patch's own approval; its last approver becomes the plan's. */
  approved: boolean;
  words?: NewWords;
};

type NewWords = Partial<Pick<VersionRow, 'title' | 'summary'>>;

export const drawPatchId = ({ random }: PlansContext): string => `PATCH-${random.hex(4)}`;

const positionsOf = (steps: { position: number }[]): number[] =>
  steps.map(({ position }) => position);

async function resolveVersion(
  context: PlansContext,
  tx: Transaction,
  row: PlanRow,
  { added, changed, removed, edgesAdded, edgesRemoved, series }: PatchEffect,
): Promise<{ next: NextVersion; pools: string[] }> {
  const known = await readLanes(tx, row.id);
  const lanes = new Lanes(known);
  const bind = (now: VersionStep) => {
    const spec = context.catalogue.of(row.tenant).get(operationName(now.tool, now.operation));
    return { ...now, ...bindStep(now, spec), lane: lanes.of(now) };
  };
  const next: NextVersion = {
    id: row.id,
    version: row.version + 1,
    changed: await mapInSlices(changed, ({ position, now }) => ({ ...bind(now), position })),
    added: await mapInSlices(added, ({ position, label, now }) => ({
      ...bind(now),
      ...{ position, label, unmet: 0, dependents: 0 },
    })),
    removed: positionsOf(removed),
    edgesAdded,
    edgesRemoved,
    lanes: lanes.list.slice(known.length),
    begun: series.map(({ begun }) => begun),
  };
  const pools = lanes.pools().filter((name) => Object.hasOwn(context.resourcePools, name));
  return { next, pools: [...new Set([...row.pools, ...pools])].sort() };
}

/** @param known waited for removed steps, or stopped by a failure behind rerun steps */
async function settleStates(
  tx: Transaction,
  row: PlanRow,
  effect: PatchEffect,
  known: { before: number[]; stopped: number[] },
  baseRevision: number,
): Promise<void> {
  const { added, changed, edgesAdded, edgesRemoved, rerun } = effect;
  const running = row.status === 'executing';
  const edges = [...edgesAdded, ...edgesRemoved];
  const rewired = edges.map(({ successor }) => successor);
  const retimed = changed.filter((step) => step.before.not_before !== step.now.not_before);
  const fresh = positionsOf(added);
  const successors = [...new Set([...fresh, ...rewired, ...positionsOf(retimed)])];
  const predecessors = edges.map(({ predecessor }) => predecessor);
  await recountSteps(tx, row.id, successors, [
    ...new Set([...fresh, ...predecessors, ...known.before]),
  ]);
  const revived = running ? await reviveSteps(tx, row.id, [...rewired, ...known.stopped]) : [];
  const settled = [...new Set([...successors, ...revived, ...positionsOf(rerun)])];
  const dead = await findDeadEnds(tx, row.id, settled, running);
  if (dead.length > 0) {
    throw patchConflict(row, [...new Map(dead.map((one) => [one.id, one])).values()], baseRevision);
  }
  await settleReadiness(tx, row.id, settled, running);
}

/** Each set gets a finding. */
async function invalidate(
  context: PlansContext,
  tx: Transaction,
  row: PlanRow,
  { invalidated }: PatchEffect,
  { patchId, actor }: PatchDecision,
): Promise<void> {
  const findings = invalidated.map(({ steps, reason, count }, nth): RaisedFinding => {
    const [only, ...others] = steps.ids ?? [];
    return {
      severity: 'ERROR',
      category: 'reported',
      message: reason ?? `${countOf(count, 'step')} put on hold by a change of the plan.`,
      ...(only === undefined || others.length > 0 ? {} : { step_id: only }),
      ...(steps.partition === undefined ? {} : { partition: steps.partition }),
      evidence: [],
      key: `${patchId} ${nth + 1}`,
      raisedBy: actor.id,
      steps,
      holdsSteps: true,
    };
  });
  await raiseFindings(context, tx, row, findings, actor);
}

/** @returns steps behind them that a failure had stopped */
async function runAgain(tx: Transaction, row: PlanRow, effect: PatchEffect): Promise<number[]> {
  const positions = positionsOf(effect.rerun);
  if (positions.length === 0) return [];
  if (effect.invalidated.length > 0) await requireUsers(tx, row, effect);
  return rerunSteps(tx, row.id, positions, await findAddressed(tx, row.id, positions));
}

async function holdBehindStale(
  tx: Transaction,
  { id }: PlanRow,
  { edgesAdded }: PatchEffect,
): Promise<void> {
  if (edgesAdded.length === 0) return;
  for (const { finding, message, positions } of await findNewlyCovered(tx, id, edgesAdded)) {
    const behind = sql`select unnest(${sql.param(positions)}::int[]) as position`;
    await makeStale(tx, id, behind, { finding, message }, true);
  }
}

async function describeVersion(
  context: PlansContext,
  tx: Transaction,
  row: PlanRow,
  effect: PatchEffect,
  steps: AsyncIterable<StepContent>,
  words: NewWords = {},
): Promise<Omit<VersionRow, 'created_at'>> {
  const version = row.version + 1;
  const uses = await countOperations(tx, row.id, version);
  const total = uses.reduce((sum, { steps }) => sum + steps, 0);
  if (total === 0) {
    throw new CountersignError(
      'empty_plan',
      'This change would leave no step. Cancel the plan instead.',
    );
  }
  const used = uses.map(({ operation }) => operation);
  const { created_at: _, ...before } = await readVersion(tx, row);
  // The plan was shown with these digests.
  const digests = {
    ...digestOperations(context.catalogue.of(row.tenant), addedOperations(effect)),
    ...row.operation_digests,
  };
  const series = before.series.map(
    (one) => effect.series.find(({ begun }) => begun.series.id === one.id)?.begun.series ?? one,
  );
  const recorded = {
    ...before,
    ...words,
    series,
    version,
    total,
    tools_required: used,
    operation_digests: Object.fromEntries(
      Object.entries(digests).filter(([name]) => used.includes(name)),
    ),
  };
  return { ...recorded, digest: await digestPlan(headerOf(row, recorded), steps) };
}

/** The plan stays at its version until approval. @returns its digest @throws `empty_plan` */
export async function storeWaiting(
  context: PlansContext,
  tx: Transaction,
  row: PlanRow,
  effect: PatchEffect,
): Promise<string> {
  const { added, changed, removed } = effect;
  const steps = [...changed.map((step) => ({ ...step, label: step.before.label })), ...added];
  const rows = await mapInSlices(steps, ({ now, position, label }) => ({
    ...now,
    position,
    label,
  }));
  await insertWaiting(tx, row.id, row.version + 1, rows, positionsOf(removed));
  const stored = iterateContents(tx, row.id, row.version + 1);
  const version = await describeVersion(context, tx, row, effect, stored);
  await tx.insert(planVersions).values(version);
  return version.digest;
}

/** All but the steps stays. */
async function storeVersion(
  context: PlansContext,
  tx: Transaction,
  row: PlanRow,
  effect: PatchEffect,
  decision: PatchDecision,
): Promise<void> {
  const { next, pools } = await resolveVersion(context, tx, row, effect);
  const gated = isGated(row);
  await writeVersion(tx, row, next, async () => {
    const stored = iterateSteps(tx, row.id);
    const version = await describeVersion(context, tx, row, effect, stored, decision.words);
    const { title, digest, operation_digests } = version;
    const scope = (await readUses(tx, row.id)).filter(({ kept }) => !gated || kept);
    const starts = effect.edgesAdded.some(({ type }) => type === 'SS' || type === 'SF');
    await tx
      .update(plans)
      .set({
        version: version.version,
        title,
        digest,
        approved_digest: gated ? digest : null,
        tools_required: scope.map(({ operation }) => operation),
        operation_digests,
        guarded_operations: scope.filter(({ guarded }) => guarded).map((use) => use.operation),
        pools,
        has_start_edges: row.has_start_edges || starts,
        ...(next.begun.length === 0 ? {} : { open_until: endOfLast(version.series) }),
        ...(decision.approved
          ? { decided_by: decision.actor.id, decided_at: sql`clock_timestamp()` }
          : {}),
      })
      .where(eq(plans.id, row.id));
    return version;
  });
  if (next.begun.length > 0)
    await linkOccurrences(
      tx,
      row,
      effect.added.map(({ now }) => now.id),
    );
  await tellSteps(tx, row.id, 'step_added', positionsOf(effect.added));
  await tellSteps(tx, row.id, 'step_changed', positionsOf(effect.changed));
}

async function wakeAll(
  { enqueue }: PlansContext,
  tx: Transaction,
  { id, status }: PlanRow,
): Promise<void> {
  await wakeWatchers(tx, enqueue, id);
  if (status === 'executing') {
    await wakeWorkers(tx, id);
    await notify(tx, `work:${id}`);
  }
  // A starting worker has seen the previous version.
  if (status === 'approved') await enqueue(tx, 'execute', { plan_id: id }, { key: id });
}

/**
 * Resolved under this lock. The status stays.
 * @throws `patch_conflict` if a step would wait for one that won't be done, `empty_plan`
 */
export async function applyPatch(
  context: PlansContext,
  tx: Transaction,
  row: PlanRow,
  effect: PatchEffect,
  decision: PatchDecision,
): Promise<PlanRow> {
  const before = await readPredecessors(tx, row.id, positionsOf(effect.removed));
  // Progress alone makes no version, unless approved.
  const moves = changesContent(effect) || decision.approved;
  if (moves) await storeVersion(context, tx, row, effect, decision);
  await invalidate(context, tx, row, effect, decision);
  const stopped = await runAgain(tx, row, effect);
  await settleStates(tx, row, effect, { before, stopped }, decision.baseRevision);
  await holdBehindStale(tx, row, effect);
  const what = moves ? `version ${row.version + 1}` : decision.patchId;
  await touchPlan(tx, row.id, 'patch_applied', `${what} by ${decision.actor.id}`);
  const patched = await lockPlan(tx, row.id);
  await recordAudit(tx, [
    {
      planId: row.id,
      actor: decision.actor,
      action: 'patch_applied',
      version: patched.version,
      digest: patched.digest,
      ...(decision.reason === null ? {} : { reason: decision.reason }),
      data: {
        patch: decision.patchId,
        base_revision: decision.baseRevision,
        base_digest: row.digest,
        ...countChanges(effect),
      },
    },
  ]);
  await wakeAll(context, tx, patched);
  return patched;
}

/** Also stores it. @param operations of `effect`, resolved under the lock */
export async function applyWithoutApproval(
  context: PlansContext,
  tx: Transaction,
  row: PlanRow,
  operations: PinnedOperation[],
  effect: PatchEffect,
  by: Pick<PatchDecision, 'actor' | 'reason' | 'words'> &
    Partial<Pick<PatchDecision, 'patchId' | 'baseRevision'>>,
): Promise<PlanRow> {
  const { baseRevision = row.revision, patchId = drawPatchId(context) } = by;
  const decision = { ...by, patchId, baseRevision, approved: false };
  const patched = await applyPatch(context, tx, row, effect, decision);
  await insertPatch(tx, {
    id: patchId,
    plan_id: row.id,
    base_revision: baseRevision,
    version: patched.version,
    digest: patched.digest,
    status: 'applied',
    operations,
    widening: [],
    ...countChanges(effect),
    reason: by.reason,
    proposed_by: by.actor.id,
  });
  return patched;
}
