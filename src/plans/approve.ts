// Approval: binds exactly the version and digest that were shown, once, by someone who may; the job commits with it.
import { and, asc, eq } from 'drizzle-orm';
import type { Actor } from '#contracts/actor.ts';
import { CountersignError } from '#contracts/errors.ts';
import type { Plan } from '#contracts/plan.ts';
import type { Approval } from '#contracts/service.ts';
import { recordDeeds } from '#store/audit.ts';
import type { Queryable, Transaction } from '#store/database.ts';
import { touchPlan } from '#store/events.ts';
import { lockPlan, type PlanRow, readPlan, readPlanRow } from '#store/plans.ts';
import { approvals } from '#store/schema.ts';
import { approvalsThatSuffice, isSatisfied, judge } from './approver-rules.ts';
import { describeAllMissing } from './approver-words.ts';
import { type Authority, readAuthority, requireApprover, requireUseful } from './authority.ts';
import { transition } from './lifecycle.ts';
import { mayBeApproved, statusWords } from './lifecycle-table.ts';
import { leaveOut, type Part, readPart } from './part.ts';
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

/** Who has approved this version as a whole, in order. */
async function readApprovers(db: Queryable, row: PlanRow): Promise<string[]> {
  const rows = await db
    .select({ approver: approvals.approver })
    .from(approvals)
    .where(and(eq(approvals.plan_id, row.id), eq(approvals.version, row.version)))
    .orderBy(asc(approvals.at));
  return rows.map(({ approver }) => approver);
}

/**
 * A part is approved by one person or not at all: several must mean the same steps, and who approved the whole read
 * another plan. @throws `not_allowed`, `invalid_request`
 */
async function requireAlone(
  q: Queryable,
  context: PlansContext,
  row: PlanRow,
  part: Part,
  actor: Actor,
): Promise<void> {
  const authority = await readAuthority(q, context, row, [actor.id], part.operations);
  requireApprover(authority, actor);
  const standings = judge(authority.rules, authority.people, [actor.id]);
  if (standings.every(isSatisfied)) return;
  throw new CountersignError(
    'invalid_request',
    `These steps need more than one approval (also ${describeAllMissing(standings, authority.people)}), so the plan is approved as a whole. Propose changes to leave steps out.`,
  );
}

/** Writes the approval down, once a person. @returns whether it is new */
async function recordApproval(tx: Transaction, row: PlanRow, actor: Actor): Promise<boolean> {
  const added = await tx
    .insert(approvals)
    .values({ plan_id: row.id, version: row.version, approver: actor.id, digest: row.digest })
    .onConflictDoNothing()
    .returning({ approver: approvals.approver });
  return added.length > 0;
}

/** The approval is one of several. */
async function recordPartOfApproval(
  { enqueue }: PlansContext,
  tx: Transaction,
  row: PlanRow,
  { rules, people }: Authority,
  approved: string[],
  actor: Actor,
): Promise<void> {
  const needed = approvalsThatSuffice(rules, people, approved);
  const missing = describeAllMissing(judge(rules, people, approved), people);
  await touchPlan(
    tx,
    row.id,
    'approval',
    `${approved.length} of ${needed} (${actor.id}); still needs ${missing}`,
  );
  await recordDeeds(tx, [
    { planId: row.id, actor, action: 'approve_in_part', version: row.version, digest: row.digest },
  ]);
  await wakeWatchers(tx, enqueue, row.id);
}

/** Takes the approval under the plan's lock. @returns whether every rule is satisfied now */
async function takeApproval(
  context: PlansContext,
  tx: Transaction,
  row: PlanRow,
  part: Part | null,
  actor: Actor,
): Promise<boolean> {
  if (part !== null) {
    await requireAlone(tx, context, row, part, actor);
    await recordApproval(tx, row, actor);
    return true;
  }
  const before = await readApprovers(tx, row);
  const authority = await readAuthority(tx, context, row, [...before, actor.id]);
  if (requireUseful(authority, before, actor).every(isSatisfied)) {
    await recordApproval(tx, row, actor);
    return true;
  }
  if (await recordApproval(tx, row, actor)) {
    await recordPartOfApproval(context, tx, row, authority, [...before, actor.id], actor);
  }
  return false;
}

/**
 * Approves what was shown. Where more than one approval is needed the plan stays open until the last of them.
 * Of many callers at once exactly one moves the plan; the others read `already_decided`.
 * @throws `plan_not_found`, `not_allowed`, `already_decided`, `stale_version`, `digest_mismatch`, `preflight_failed`,
 *   `steps_missing`, `unknown_step`, `invalid_request`
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
    requireApprover(await readAuthority(q, context, row, [actor.id]), actor);
    await requireShown(q, row, approval);
    requireUndecided(row);
  };
  const seen = await readPlanRow(db.query, id);
  await check(db.query, seen);
  const part = await readPart(db.query, id, approval);
  if (part !== null) await requireAlone(db.query, context, seen, part, actor);
  requireNoProblems(await findPreflightProblems(db.query, context.catalogue, seen));
  return db.transaction(async (tx) => {
    const row = await lockPlan(tx, id);
    await check(tx, row);
    if (!(await takeApproval(context, tx, row, part, actor))) return readPlan(tx, id);
    if (part !== null) await leaveOut(tx, id, part);
    const reason =
      part === null ? {} : { reason: `${part.positions.length} of ${row.total} steps` };
    const changed = await transition(
      tx,
      enqueue,
      row,
      'approve',
      { actor, ...reason },
      { decided_by: actor.id, decided_at: context.clock.now(), approved_digest: row.digest },
    );
    await enqueue(tx, 'execute', { plan_id: id }, { key: id });
    await within(tx, changed);
    return readPlan(tx, id);
  });
}
