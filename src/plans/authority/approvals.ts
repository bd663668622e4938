// Stores approvals, one per person, and acknowledged passed starts.
import { sql } from 'drizzle-orm';
import { recordAudit } from '#db/audit/audit.ts';
import type { Queryable, Transaction } from '#db/database.ts';
import { type PlanRow, readApprovals, readApprovedVersion, readVerified } from '#db/plans/plans.ts';
import { approvals } from '#db/schema.ts';
import { touchPlan } from '#db/steps/events.ts';
import { CountersignError } from '#domain/errors.ts';
import { type Actor, isVerified } from '#domain/people/actor.ts';
import type { PassedStarts } from '#domain/plan/passed-starts.ts';
import type { Approval } from '#domain/service.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { listOf } from '#domain/words.ts';
import { currentOf } from '../lifecycle/decide.ts';
import { wakeWatchers } from '../lifecycle/lifecycle.ts';
import type { PlansContext } from '../plans-context.ts';
import { approvalsThatSuffice, isAmong, isSatisfied, judge } from './approver-rules.ts';
import { describeAllMissing } from './approver-words.ts';
import { type Authority, type Configured, readAuthority, requireUseful } from './authority.ts';

type Approvable = Pick<PlanRow, 'id' | 'version' | 'digest'>;

/** Distinct persons who approved the whole version, in order. */
export async function readApprovers(db: Queryable, row: Approvable): Promise<string[]> {
  const given = await readApprovals(db, row.id, row.version);
  return given.map(({ by }) => by);
}

/** Again once the name is verified. @returns whether anything is new */
export async function recordApproval(
  tx: Transaction,
  row: Approvable,
  actor: Actor,
): Promise<boolean> {
  const added = await tx
    .insert(approvals)
    .values({
      plan_id: row.id,
      version: row.version,
      approver: actor.id,
      digest: row.digest,
      verified: isVerified(actor),
      role: actor.role ?? null,
    })
    .onConflictDoUpdate({
      target: [approvals.plan_id, approvals.version, approvals.approver],
      set: { verified: true },
      setWhere: sql`excluded.verified and not ${approvals.verified}`,
    })
    .returning({ approver: approvals.approver });
  return added.length > 0;
}

async function recordPartOfApproval(
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
  await recordAudit(tx, [
    { planId: row.id, actor, action: 'approve_in_part', version: row.version, digest: row.digest },
  ]);
  await wakeWatchers(tx, enqueue, row.id);
}

/**
 * `about`: the plan or the waiting change. Someone verified since their approval counts where verification is required.
 * @returns whether every rule is satisfied
 */
export async function countApproval(
  context: PlansContext,
  tx: Transaction,
  about: Approvable,
  subject: Pick<Parameters<typeof readAuthority>[2], 'plan' | 'operations'>,
  actor: Actor,
): Promise<boolean> {
  const before = await readApprovers(tx, about);
  const of = { ...subject, version: about.version, approved: before, actor };
  const authority = await readAuthority(tx, context, of);
  const satisfied = requireUseful(authority, before, actor).every(isSatisfied);
  const { people } = authority;
  const isNew = !isAmong(people, before, actor.id);
  if (satisfied || isNew) {
    const added = await recordApproval(tx, about, actor);
    if (added && !satisfied)
      await recordPartOfApproval(context, tx, about, authority, [...before, actor.id], actor);
  } else if (isVerified(actor)) {
    const verified = (await readVerified(tx, [about])).get(about.id) ?? new Set<string>();
    if (isAmong(people, [...verified], actor.id)) return false;
    await recordApproval(tx, about, actor);
    await recordPartOfApproval(context, tx, about, authority, before, actor);
  }
  return satisfied;
}

/** Under the current rules and groups. @returns what is missing, as a sentence, or null */
export async function findLostApproval(
  db: Queryable,
  context: Configured,
  row: PlanRow,
): Promise<string | null> {
  const version = await readApprovedVersion(db, row);
  const approved = await readApprovers(db, { ...row, version });
  const authority = await readAuthority(db, context, { plan: row, approved, version });
  const states = judge(authority.rules, authority.people, approved);
  if (states.every(isSatisfied)) return null;
  return `The approval no longer counts: it now needs ${describeAllMissing(states, authority.people)}. Propose the plan again.`;
}

/** @param whole no steps can be left out */
export function requireStartsShown(
  row: PlanRow,
  starts: PassedStarts | null,
  { passed }: Pick<Approval, 'passed'>,
  whole: boolean,
): void {
  const last = starts?.last_since_proposal ?? null;
  if (starts === null || last === null) return;
  if (passed !== undefined && Date.parse(passed) >= Date.parse(last)) return;
  const { labels, more } = starts;
  const one = labels.length === 1 && more === 0;
  const steps = listOf(more > 0 ? [...labels, `${more} more`] : labels);
  const otherwise = whole
    ? 'Or reject the change and propose another time.'
    : `Or reply “propose changes: …” with another time, or ${quoteWords(`approve all but ${labels[0]}`, 80)} to leave a step out.`;
  throw new CountersignError(
    'times_passed',
    `Nothing was approved: the start of ${one ? 'step' : 'steps'} ${steps} has passed since this was proposed, so ${one ? 'it' : 'they'} would start immediately. To start now, approve on the card or reply “approve now”. ${otherwise}`,
    { details: { current: currentOf(row), passed: last } },
  );
}

/** If `requireStartsShown` refuses, redraws the cards with the passed starts. */
export async function showingPassed(
  { db, enqueue }: Pick<PlansContext, 'db' | 'enqueue'>,
  planId: string,
  check: () => Promise<void>,
): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (error instanceof CountersignError && error.code === 'times_passed')
      await db.transaction(async (tx) => {
        await touchPlan(tx, planId, 'times_passed');
        await wakeWatchers(tx, enqueue, planId);
      });
    throw error;
  }
}
