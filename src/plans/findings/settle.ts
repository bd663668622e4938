// Settles findings and their stale steps, under the plan's lock.
import { eq, not, sql } from 'drizzle-orm';
import { recordAudit } from '#db/audit/audit.ts';
import type { Queryable, Transaction } from '#db/database.ts';
import { showName } from '#db/people/identities.ts';
import {
  type FindingRow,
  openFinding,
  readFinding,
  toFinding,
  updateFindings,
  withdrawScheduleFindings,
} from '#db/plans/findings.ts';
import { lockPlan, type PlanRow } from '#db/plans/plans.ts';
import { countersign, planFindings } from '#db/schema.ts';
import { forgetCovers, leaveOutBehind, skipDeadEnds, uncover } from '#db/sql/uncover.ts';
import { changeSteps } from '#db/steps/accounting.ts';
import { touchPlan } from '#db/steps/events.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { FindingAction } from '#domain/plan/finding.ts';
import { requireManager } from '../authority/authority.ts';
import type { Ruling } from '../lifecycle/decide.ts';
import { finishIfDone, readyTheFree, stopDependents } from '../lifecycle/ended-steps.ts';
import { wakeWatchers, wakeWorkers } from '../lifecycle/lifecycle.ts';
import { statusWords } from '../lifecycle/lifecycle-table.ts';
import type { PlansContext } from '../plans-context.ts';
import { isBlocking } from './raise.ts';

/** Unless a prerequisite won't be done. */
async function proceed(
  { onFailure }: PlansContext,
  tx: Transaction,
  row: PlanRow,
  finding: string,
): Promise<void> {
  const isOngoing = row.status === 'executing' || row.status === 'stalled';
  const { freed, failed, leftOut } = await uncover(tx, row.id, finding, 'back', isOngoing);
  if (leftOut.length > 0) await leaveOutBehind(tx, row.id, leftOut);
  if (freed.length === 0 || !isOngoing) return;
  await stopDependents(tx, row.id, failed, onFailure);
  if (onFailure === 'stop_all' && row.failed + failed.length > 0) {
    await changeSteps(tx, row.id, {
      from: ['pending'],
      to: 'skipped',
      kind: 'step_skipped',
      detail: 'another step failed',
      where: sql`s.position = any(${sql.param(freed)}::int[])`,
      set: sql`, ended_at = clock_timestamp()`,
    });
  } else await skipDeadEnds(tx, row.id, freed);
  if (row.status === 'executing') await readyTheFree(tx, row.id);
}

async function leaveOut(tx: Transaction, row: PlanRow, finding: string): Promise<void> {
  const { freed } = await uncover(tx, row.id, finding, 'left_out', true);
  if (freed.length > 0) await leaveOutBehind(tx, row.id, freed);
}

async function wasSettledBefore(
  q: Queryable,
  { plan_id, id }: FindingRow,
  action: FindingAction,
  actor: Actor,
): Promise<boolean> {
  return q.hasRows(sql`
    select 1 from ${countersign}.audit where plan_id = ${plan_id} and actor = ${actor.id}
      and action = ${`finding_${action}`} and data ->> 'finding' = ${id} limit 1`);
}

const ends: Record<FindingRow['status'], string> = {
  open: 'is open',
  replanning: 'is being corrected',
  awaiting_approval: 'has a correction that is waiting for approval',
  resolved: 'was already settled',
  dismissed: 'was already dismissed',
};

/** @throws `already_decided`, `invalid_transition` */
async function requirePossible(
  q: Queryable,
  row: PlanRow,
  finding: FindingRow,
  action: FindingAction,
): Promise<void> {
  const { id, status, severity, category, settled_by } = finding;
  if (!openFinding.includes(status) || (action === 'replan' && status !== 'open')) {
    const by = settled_by === null ? '' : ` by ${await showName(q, settled_by)}`;
    throw new CountersignError(
      'already_decided',
      `${id} ${ends[status]}${by}. Nothing was changed.`,
      { details: { finding: id, status } },
    );
  }
  if (category === 'suggestion') return;
  if (action !== 'dismiss' && !isBlocking(severity)) {
    throw new CountersignError(
      'invalid_transition',
      `${id} is only ${severity === 'WARN' ? 'a warning' : 'for your information'}: it holds no steps. You can dismiss it.`,
      { details: { finding: id, severity } },
    );
  }
  if (action === 'replan' && (row.status === 'cancelled' || row.status === 'rejected')) {
    throw new CountersignError(
      'invalid_transition',
      `This plan is ${statusWords[row.status]}, so it can't be corrected.`,
      { details: { status: row.status } },
    );
  }
}

async function act(
  context: PlansContext,
  tx: Transaction,
  row: PlanRow,
  finding: FindingRow,
  action: FindingAction,
  actor: Actor,
): Promise<void> {
  const only = eq(planFindings.id, finding.id);
  switch (action) {
    case 'replan': {
      if (finding.category === 'suggestion') {
        const set = { status: 'resolved' as const, settled_by: actor.id };
        await updateFindings(tx, row.id, openFinding, set, only);
        return;
      }
      if (context.onReplan === undefined) {
        throw new CountersignError(
          'invalid_transition',
          'This instance cannot correct plans. Change the plan yourself, run the steps on hold as they are, or leave them out.',
        );
      }
      const set = { status: 'replanning' as const, replans: finding.replans + 1 };
      const [changed] = await updateFindings(tx, row.id, ['open'], set, only);
      if (changed !== undefined) await context.onReplan(tx, row, toFinding(changed), actor);
      return;
    }
    case 'proceed':
    case 'dismiss': {
      const status = action === 'dismiss' ? 'dismissed' : 'resolved';
      await updateFindings(tx, row.id, openFinding, { status, settled_by: actor.id }, only);
      return proceed(context, tx, row, finding.id);
    }
    case 'leave_out':
      await updateFindings(
        tx,
        row.id,
        openFinding,
        { status: 'resolved', settled_by: actor.id },
        only,
      );
      return leaveOut(tx, row, finding.id);
    default:
      return action satisfies never;
  }
}

/** Ends the plan if nothing is open, else wakes watchers and workers. */
async function continueRun(context: PlansContext, tx: Transaction, planId: string, actor: Actor) {
  const now = await lockPlan(tx, planId);
  if (await finishIfDone(context, tx, now, now, actor)) return;
  if (now.status === 'executing') await wakeWorkers(tx, planId);
  await wakeWatchers(tx, context.enqueue, planId);
}

/** Idempotent. @throws (with it) `plan_not_found`, `not_found`, `not_allowed`, `already_decided`, `invalid_transition` */
export function findingSettlement(
  context: PlansContext,
  planId: string,
  findingId: string,
  action: FindingAction,
  actor: Actor,
): Ruling<PlanRow, FindingRow, void> {
  return {
    lock: (tx) => lockPlan(tx, planId),
    async requireAllowed(q, row) {
      await requireManager(q, context, row, actor);
      const finding = await readFinding(q, planId, findingId);
      if (finding === null) throw findingNotFound(planId, findingId);
      return finding;
    },
    async isRepeated(q, _, finding) {
      const repeated = await wasSettledBefore(q, finding, action, actor);
      return repeated && (finding.status !== 'open' || action !== 'replan');
    },
    requireCurrent: (q, row, finding) => requirePossible(q, row, finding, action),
    async apply(tx, row, finding) {
      await act(context, tx, row, finding, action, actor);
      await touchPlan(tx, planId, 'finding_settled', `${findingId}: ${action} by ${actor.id}`);
      const data = { finding: findingId };
      const auditEntry = { planId, actor, action: `finding_${action}`, version: row.version, data };
      await recordAudit(tx, [auditEntry]);
      await continueRun(context, tx, planId, actor);
    },
  };
}

export function findingNotFound(planId: string, id: string): CountersignError {
  return new CountersignError(
    'not_found',
    `${planId} has no finding ${id}. List them with \`countersign findings ${planId}\`.`,
  );
}

const isSuggestion = eq(planFindings.category, 'suggestion');

/** The version was approved without them. Under the lock. */
export async function dismissSuggestions(tx: Transaction, planId: string, actor: Actor) {
  const set = { status: 'dismissed' as const, settled_by: actor.id };
  await updateFindings(tx, planId, openFinding, set, isSuggestion);
}

/** Raised by the schedule check, except `kept` keys. Under the lock. */
export async function withdrawBroken(
  { enqueue }: Pick<PlansContext, 'enqueue'>,
  tx: Transaction,
  planId: string,
  kept: readonly string[],
): Promise<void> {
  const ids = await withdrawScheduleFindings(tx, planId, kept);
  if (ids.length === 0) return;
  await touchPlan(tx, planId, 'finding_settled', `${ids.join(', ')}: no longer the case`);
  await wakeWatchers(tx, enqueue, planId);
}

/** After the end, or with a new version. Under the lock. @param which `problems` leaves suggestions for the next version */
export async function dismissAll(
  tx: Transaction,
  planId: string,
  actor: Actor,
  which: 'all' | 'problems' = 'all',
): Promise<void> {
  const set = { status: 'dismissed' as const, settled_by: actor.id };
  const where = which === 'all' ? undefined : not(isSuggestion);
  const dismissed = await updateFindings(tx, planId, openFinding, set, where);
  if (dismissed.some(({ severity }) => isBlocking(severity))) await forgetCovers(tx, planId);
}
