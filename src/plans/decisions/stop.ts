// Rejecting, cancelling, pausing and failing a plan.
import { eq, sql } from 'drizzle-orm';
import { recordAudit } from '#db/audit/audit.ts';
import type { Queryable } from '#db/database.ts';
import { notify } from '#db/notify.ts';
import { showName } from '#db/people/identities.ts';
import { findWaitingPatch } from '#db/plans/patches.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { stopAllSeries } from '#db/plans/series.ts';
import { plans } from '#db/schema.ts';
import { hurryLater } from '#db/sql/later.ts';
import { changeSteps } from '#db/steps/accounting.ts';
import { touchPlan } from '#db/steps/events.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { Rejection, StepComment } from '#domain/plan/plan.ts';
import { offlinePlanner } from '#domain/plan/step-words.ts';
import type { Decision, RequestedChanges } from '#domain/service.ts';
import { dropPatch } from '../change/receive.ts';
import { dismissAll } from '../findings/settle.ts';
import { finishIfDone } from '../lifecycle/ended-steps.ts';
import { transition, wakeWatchers } from '../lifecycle/lifecycle.ts';
import { nextStatus, notPossible } from '../lifecycle/lifecycle-table.ts';
import type { PlansContext } from '../plans-context.ts';
import { checkRepeated, managedPlan, type PlanRuling, requireVersion } from './repeated.ts';

/** Then a refusal goes to a person. */
const maxProposals = 3;

/** Counts proposals sent back with feedback, not versions. */
function hasProposalsLeft({ rejection_history, version, planner_model }: PlanRow): boolean {
  // Commands say exactly what changes.
  if (planner_model === offlinePlanner) return true;
  const sentBack = rejection_history.filter(({ feedback }) => feedback !== null);
  return new Set([...sentBack.map((entry) => entry.version), version]).size < maxProposals;
}

function withRejection(
  context: PlansContext,
  row: PlanRow,
  actor: Actor,
  { feedback = null, comments = [] }: { feedback?: string | null; comments?: StepComment[] },
): Rejection[] {
  const at = context.clock.now().toISOString();
  const own = comments.length === 0 ? {} : { comments };
  return [...row.rejection_history, { version: row.version, by: actor.id, at, feedback, ...own }];
}

/** `replan`: for another version. Null if only a waiting change was rejected. */
type Refused = { row: PlanRow; replan: boolean } | null;

/** A plan refused with feedback goes back to the planner, later to review; without feedback it ends. */
export function refusal(
  context: PlansContext,
  id: string,
  decision: RequestedChanges,
  actor: Actor,
  event: 'reject' | 'request_changes',
): PlanRuling<Refused> {
  const { version } = decision;
  const feedback = decision.feedback ?? null;
  const findChange = async (q: Queryable, row: PlanRow) =>
    event === 'reject' && version === row.version + 1 ? findWaitingPatch(q, id) : null;
  return {
    ...managedPlan(context, id, actor),
    isRepeated: checkRepeated(
      id,
      event,
      actor,
      { version, reason: decision.feedback },
      ({ status }) => status === 'rejected' || status === 'needs_review',
    ),
    async requireCurrent(q, row) {
      if ((await findChange(q, row)) !== null) return;
      requireVersion(row, version);
      nextStatus(row.status, event);
      if (row.status === 'rejected' && !hasProposalsLeft(row))
        throw new CountersignError(
          'invalid_transition',
          `Version ${version} was rejected and was the last one. Ask for a new plan.`,
          { details: { status: row.status } },
        );
    },
    async apply(tx, row) {
      const change = await findChange(tx, row);
      if (change !== null) {
        const by = { actor, ...(feedback === null ? {} : { reason: feedback }) };
        const now = await dropPatch(tx, row, change, 'rejected', by);
        // May have waited only for this.
        await finishIfDone(context, tx, now, now, actor);
        await wakeWatchers(tx, context.enqueue, id);
        return null;
      }
      const left = hasProposalsLeft(row);
      const exhausted = feedback !== null && !left && row.status === 'proposed';
      const replan = feedback !== null && left && row.status !== 'needs_review';
      const changed = await transition(
        tx,
        context.enqueue,
        row,
        exhausted ? 'escalate' : event,
        { actor, ...(feedback === null ? {} : { reason: feedback }) },
        {
          rejection_history: withRejection(context, row, actor, decision),
          revising: replan,
          decided_by: exhausted ? null : actor.id,
          decided_at: exhausted ? null : context.clock.now(),
        },
      );
      return { row: changed, replan };
    },
  };
}

/** Running steps are asked to stop; others never run. */
export function cancellation(
  context: PlansContext,
  id: string,
  { version, feedback }: Decision,
  actor: Actor,
): PlanRuling {
  return {
    ...managedPlan(context, id, actor),
    isRepeated: checkRepeated(
      id,
      'cancel',
      actor,
      { version, reason: feedback },
      ({ status }) => status === 'cancelled',
    ),
    async requireCurrent(_, row) {
      requireVersion(row, version);
      nextStatus(row.status, 'cancel');
    },
    async apply(tx, row) {
      const change = await findWaitingPatch(tx, id);
      const by = { actor, reason: 'the plan was cancelled' };
      if (change !== null) await dropPatch(tx, row, change, 'rejected', by);
      await changeSteps(tx, id, {
        from: ['pending', 'ready', 'waiting', 'unknown', 'stale'],
        to: 'cancelled',
        kind: 'step_cancelled',
        set: sql`, ended_at = clock_timestamp()`,
      });
      await hurryLater(tx, id);
      await dismissAll(tx, id, actor);
      const changed = await transition(
        tx,
        context.enqueue,
        row,
        'cancel',
        { actor, ...(feedback === undefined ? {} : { reason: feedback }) },
        {
          revising: false,
          decided_by: actor.id,
          decided_at: context.clock.now(),
          ...(row.execution_started_at === null ? {} : { execution_ended_at: context.clock.now() }),
        },
      );
      await notify(tx, `cancel:${id}`);
      return changed;
    },
  };
}

/** Running steps end; none starts until resumed. */
export function pausing(
  context: PlansContext,
  id: string,
  { version }: Decision,
  actor: Actor,
): PlanRuling {
  return {
    ...managedPlan(context, id, actor),
    isRepeated: checkRepeated(id, 'pause', actor, { version }, (row) => row.paused_at !== null),
    async requireCurrent(_, row) {
      requireVersion(row, version);
      if (row.status === 'executing' && row.paused_at === null) return;
      throw new CountersignError(
        'invalid_transition',
        row.paused_at === null
          ? `This plan is ${row.status}; only a running plan can be paused.`
          : 'This plan is already paused.',
        { details: { status: row.status } },
      );
    },
    async apply(tx, row) {
      await tx.update(plans).set({ paused_at: context.clock.now() }).where(eq(plans.id, id));
      await touchPlan(tx, id, 'paused', `by ${actor.id}`);
      await recordAudit(tx, [{ planId: id, actor, action: 'pause', version }]);
      await wakeWatchers(tx, context.enqueue, id);
      return { ...row, paused_at: context.clock.now() };
    },
  };
}

/** Its runnable steps count as failed and can be retried with dependents. */
export function failing(
  context: PlansContext,
  id: string,
  { version }: Decision,
  actor: Actor,
): PlanRuling {
  return {
    ...managedPlan(context, id, actor),
    isRepeated: checkRepeated(id, 'fail', actor, { version }, ({ status }) => status === 'failed'),
    async requireCurrent(_, row) {
      requireVersion(row, version);
      // A running plan fails only through its steps.
      if (row.status !== 'stalled') throw notPossible(row.status, 'fail');
    },
    async apply(tx, row) {
      const reason = `${await showName(tx, actor.id)} marked it failed.`;
      const error = JSON.stringify({ code: 'tool_failed', message: reason });
      await changeSteps(tx, id, {
        from: ['ready'],
        to: 'failed',
        kind: 'step_failed',
        detail: reason,
        set: sql`, ended_at = clock_timestamp(), error = ${error}::jsonb`,
      });
      await changeSteps(tx, id, {
        from: ['pending'],
        to: 'skipped',
        kind: 'step_skipped',
        detail: reason,
        set: sql`, ended_at = clock_timestamp()`,
      });
      await stopAllSeries(tx, id);
      return transition(
        tx,
        context.enqueue,
        row,
        'fail',
        { actor },
        { execution_ended_at: context.clock.now(), paused_at: null, result_summary: reason },
      );
    },
  };
}
