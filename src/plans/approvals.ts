// Approvals as they are given: of a version of a plan, or of a change that waits for one. Each once a person.
import type { Actor } from '#contracts/actor.ts';
import { readApprovals } from '#store/approvals.ts';
import { recordDeeds } from '#store/audit.ts';
import type { Queryable, Transaction } from '#store/database.ts';
import { touchPlan } from '#store/events.ts';
import type { PlanRow } from '#store/plans.ts';
import { approvals } from '#store/schema.ts';
import { approvalsThatSuffice, judge } from './approver-rules.ts';
import { describeAllMissing } from './approver-words.ts';
import type { Authority } from './authority.ts';
import type { PlansContext } from './plans-context.ts';
import { wakeWatchers } from './wake.ts';

/** What an approval is about. */
export type Approvable = Pick<PlanRow, 'id' | 'version' | 'digest'>;

/** Who has approved this version as a whole, in order; somebody who did so under two names is one person. */
export async function readApprovers(db: Queryable, row: Approvable): Promise<string[]> {
  const given = await readApprovals(db, row.id, row.version);
  return given.map(({ by }) => by);
}

/** Writes the approval down, once a person. @returns whether it is new */
export async function recordApproval(
  tx: Transaction,
  row: Approvable,
  actor: Actor,
): Promise<boolean> {
  const added = await tx
    .insert(approvals)
    .values({ plan_id: row.id, version: row.version, approver: actor.id, digest: row.digest })
    .onConflictDoNothing()
    .returning({ approver: approvals.approver });
  return added.length > 0;
}

/** The approval is one of several. */
export async function recordPartOfApproval(
  { enqueue }: PlansContext,
  tx: Transaction,
  row: Approvable,
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
