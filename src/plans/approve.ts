// Approval: binds exactly the version and digest that were shown, once, by someone who may; the job commits with it.
import { and, eq, sql } from 'drizzle-orm';
import type { Actor } from '#contracts/actor.ts';
import { CountersignError } from '#contracts/errors.ts';
import type { Plan } from '#contracts/plan.ts';
import type { Approval } from '#contracts/service.ts';
import { recordDeeds } from '#store/audit.ts';
import { changeSteps } from '#store/change-steps.ts';
import type { Queryable, Transaction } from '#store/database.ts';
import { touchPlan } from '#store/events.ts';
import { lockPlan, type PlanRow, readPlan, readPlanRow } from '#store/plans.ts';
import { approvals, planSteps } from '#store/schema.ts';
import { readEdges } from '#store/steps.ts';
import { approvalsNeeded, requireApprover } from './authority.ts';
import { missingPrerequisites } from './graph.ts';
import { transition } from './lifecycle.ts';
import { mayBeApproved, statusWords } from './lifecycle-table.ts';
import type { PlansContext } from './plans-context.ts';
import { findPreflightProblems, requireNoProblems } from './preflight.ts';
import { diffVersions } from './version-diff.ts';
import { wakeWatchers } from './wake.ts';

/** 14:02 UTC */
function clockTime(date: Date | null): string {
  return date === null ? 'an unknown time' : `${date.toISOString().slice(11, 16)} UTC`;
}

/** The plan as a refused caller should see it now. */
export function currentOf(row: PlanRow): Record<string, unknown> {
  return {
    version: row.version,
    digest: row.digest,
    status: row.status,
    revision: row.revision,
    decided_by: row.decided_by,
    decided_at: row.decided_at?.toISOString() ?? null,
  };
}

/** @throws `already_decided`, which says who won, when and at which version */
function requireUndecided(row: PlanRow): void {
  if (mayBeApproved(row.status)) return;
  const by =
    row.decided_by === null ? '' : `${row.decided_by} decided at ${clockTime(row.decided_at)}. `;
  throw new CountersignError(
    row.decided_by === null ? 'invalid_transition' : 'already_decided',
    `${by}Version ${row.version} is ${statusWords[row.status]} (${row.status}); your approval changed nothing.`,
    { details: { current: currentOf(row) } },
  );
}

/** @throws `stale_version` or `digest_mismatch` with the current version and what changed */
async function requireShown(db: Queryable, row: PlanRow, approval: Approval): Promise<void> {
  if (approval.version !== row.version) {
    const older = approval.version < row.version && approval.version >= 1;
    const changes = older ? await diffVersions(db, row.id, approval.version, row.version) : null;
    throw new CountersignError(
      'stale_version',
      older
        ? `This plan changed while you were reading: version ${row.version} is below.`
        : `This plan has no version ${approval.version}; the current one is ${row.version}.`,
      { details: { current: currentOf(row), ...(changes === null ? {} : { changes }) } },
    );
  }
  if (approval.digest !== row.digest) {
    throw new CountersignError(
      'digest_mismatch',
      `What you approve is not what is stored: the digest of version ${row.version} is ${row.digest.slice(0, 8)}. Reload the card and read it again.`,
      { details: { current: currentOf(row) } },
    );
  }
}

/** Several approvers must mean the same steps. @throws `invalid_request` */
function requireWhole(row: PlanRow, { steps }: Approval): void {
  if (steps === undefined || approvalsNeeded(row.approver_policy) === 1) return;
  throw new CountersignError(
    'invalid_request',
    'steps: this plan needs more than one approval, so it is approved as a whole. Propose changes to leave steps out.',
  );
}

/** Positions of a partial approval. @throws `unknown_step`, `steps_missing` with the steps that must be added */
async function positionsOf(db: Queryable, planId: string, ids: string[]): Promise<number[]> {
  const rows = await db
    .select({ id: planSteps.step_id, position: planSteps.position })
    .from(planSteps)
    .where(
      and(
        eq(planSteps.plan_id, planId),
        sql`${planSteps.step_id} = any(${sql.param(ids)}::text[])`,
      ),
    );
  const known = new Set(rows.map(({ id }) => id));
  const unknown = ids.filter((id) => !known.has(id));
  if (ids.length === 0 || unknown.length > 0) {
    throw new CountersignError(
      'unknown_step',
      ids.length === 0
        ? 'steps: name at least one step, or leave it away to approve all of them.'
        : `This plan has no step ${unknown.slice(0, 10).join(', ')}.`,
    );
  }
  const wanted = new Set(rows.map(({ position }) => position));
  const missing = missingPrerequisites(wanted, await readEdges(db, planId));
  if (missing.length === 0) return [...wanted];
  const names = await db
    .select({ id: planSteps.step_id })
    .from(planSteps)
    .where(
      and(
        eq(planSteps.plan_id, planId),
        sql`${planSteps.position} = any(${sql.param(missing)}::int[])`,
      ),
    )
    .orderBy(planSteps.position);
  const steps = names.map(({ id }) => id);
  throw new CountersignError(
    'steps_missing',
    `These steps need others that you left out: add ${steps.slice(0, 20).join(', ')}.`,
    { details: { missing: steps } },
  );
}

/** Leaves every step outside `kept` out of the run and narrows the scope to what remains. */
async function leaveOut(tx: Transaction, planId: string, kept: number[]): Promise<void> {
  await changeSteps(tx, planId, {
    from: ['pending'],
    to: 'cancelled',
    kind: 'step_left_out',
    detail: 'not approved',
    where: sql`s.position <> all(${sql.param(kept)}::int[])`,
  });
  await tx.execute(sql`
    update countersign.plans p set tools_required = array(
      select distinct tool || '_' || operation from countersign.plan_steps
      where plan_id = ${planId} and status = 'pending' order by 1)
    where p.id = ${planId}`);
}

/**
 * Approves what was shown. Where more than one approver is needed the plan stays open until the last of them.
 * Of many callers at once exactly one moves the plan; the others read `already_decided`.
 * @throws `plan_not_found`, `not_allowed`, `already_decided`, `stale_version`, `digest_mismatch`, `preflight_failed`,
 *   `steps_missing`, `unknown_step`
 */
export async function approvePlan(
  context: PlansContext,
  id: string,
  approval: Approval,
  actor: Actor,
  within: (tx: Transaction, row: PlanRow) => Promise<void>,
): Promise<Plan> {
  const { db, enqueue } = context;
  const check = async (q: Queryable, row: PlanRow) => {
    requireApprover(row, context.approvers, actor);
    requireWhole(row, approval);
    await requireShown(q, row, approval);
    requireUndecided(row);
  };
  const seen = await readPlanRow(db.query, id);
  await check(db.query, seen);
  const kept =
    approval.steps === undefined ? null : await positionsOf(db.query, id, approval.steps);
  requireNoProblems(await findPreflightProblems(db.query, context.registry, seen));
  return db.transaction(async (tx) => {
    const row = await lockPlan(tx, id);
    await check(tx, row);
    const added = await tx
      .insert(approvals)
      .values({ plan_id: id, version: row.version, approver: actor.id, digest: row.digest })
      .onConflictDoNothing()
      .returning();
    const [given] = await tx
      .select({ count: sql<number>`count(*)::int` })
      .from(approvals)
      .where(and(eq(approvals.plan_id, id), eq(approvals.version, row.version)));
    const needed = approvalsNeeded(row.approver_policy);
    if ((given?.count ?? 0) < needed) {
      if (added.length > 0)
        await recordPartOfApproval(context, tx, row, actor, given?.count ?? 0, needed);
      return readPlan(tx, id);
    }
    if (kept !== null) await leaveOut(tx, id, kept);
    const changed = await transition(
      tx,
      enqueue,
      row,
      'approve',
      { actor, ...(kept === null ? {} : { reason: `${kept.length} of ${row.total} steps` }) },
      {
        decided_by: actor.id,
        decided_at: context.clock.now(),
      },
    );
    await enqueue(tx, 'execute', { plan_id: id }, { key: id });
    await within(tx, changed);
    return readPlan(tx, id);
  });
}

async function recordPartOfApproval(
  { enqueue }: PlansContext,
  tx: Transaction,
  row: PlanRow,
  actor: Actor,
  given: number,
  needed: number,
): Promise<void> {
  await touchPlan(tx, row.id, 'approval', `${given} of ${needed} (${actor.id})`);
  await recordDeeds(tx, [
    { planId: row.id, actor, action: 'approve_in_part', version: row.version, digest: row.digest },
  ]);
  await wakeWatchers(tx, enqueue, row.id);
}
