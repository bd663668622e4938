// Every other decision of a person about a plan: refuse, cancel, pause. Each names the version it is about.
import { eq, sql } from 'drizzle-orm';
import { recordDeeds } from '#db/audit/audit.ts';
import type { Transaction } from '#db/database.ts';
import { notify } from '#db/notify.ts';
import { lockPlan, type PlanRow } from '#db/plans/plans.ts';
import { plans } from '#db/schema.ts';
import { hurryLater } from '#db/sql/later.ts';
import { changeSteps } from '#db/steps/change-steps.ts';
import { touchPlan } from '#db/steps/events.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { Rejection, StepComment } from '#domain/plan/plan.ts';
import type { Decision, Wish } from '#domain/service.ts';
import { requireManager } from '../authority/authority.ts';
import { dropWithPlan } from '../change/receive.ts';
import { dismissAll } from '../findings/settle.ts';
import { currentOf } from '../lifecycle/current.ts';
import { transition } from '../lifecycle/lifecycle.ts';
import { nextStatus } from '../lifecycle/lifecycle-table.ts';
import { isRepeated } from '../lifecycle/repeated.ts';
import { wakeWatchers } from '../lifecycle/wake.ts';
import type { PlansContext } from '../plans-context.ts';

/** After this many proposals a refusal goes to a person, not back to the planner. */
const proposalsAtMost = 3;

/**
 * Whether the planner may propose once more when the present version is refused. Proposals sent back with feedback
 * are counted, not version numbers: other changes raise those too.
 */
function hasProposalsLeft({ rejection_history, version }: PlanRow): boolean {
  const sentBack = rejection_history.filter(({ feedback }) => feedback !== null);
  return new Set([...sentBack.map((entry) => entry.version), version]).size < proposalsAtMost;
}

/** @throws `stale_version` with the current version */
export function requireVersion(row: PlanRow, version: number): void {
  if (row.version === version) return;
  throw new CountersignError(
    'stale_version',
    `You decided about version ${version}; the current one is ${row.version}. Read it and decide again.`,
    { details: { current: currentOf(row) } },
  );
}

/**
 * The plan's row, locked for a decision of `actor` about `version`.
 * @throws `plan_not_found`, `not_allowed`, `stale_version`
 */
export async function lockForDecision(
  context: PlansContext,
  tx: Transaction,
  id: string,
  version: number,
  actor: Actor,
): Promise<PlanRow> {
  const row = await lockPlan(tx, id);
  await requireManager(tx, context, row, actor);
  requireVersion(row, version);
  return row;
}

function refusal(
  context: PlansContext,
  row: PlanRow,
  actor: Actor,
  { feedback = null, comments = [] }: { feedback?: string | null; comments?: StepComment[] },
): Rejection[] {
  const at = context.clock.now().toISOString();
  const own = comments.length === 0 ? {} : { comments };
  return [...row.rejection_history, { version: row.version, by: actor.id, at, feedback, ...own }];
}

/**
 * Refuses the plan, with or without feedback. With feedback it goes back to the planner while proposals are left
 * (`replan` true), else it is up for review; without feedback it is over. `repeated`: the same person did just this before,
 * and nothing is changed.
 */
export async function refusePlan(
  context: PlansContext,
  tx: Transaction,
  id: string,
  decision: Wish,
  actor: Actor,
  event: 'reject' | 'request_changes',
): Promise<{ row: PlanRow; replan: boolean; repeated: boolean }> {
  const row = await lockForDecision(context, tx, id, decision.version, actor);
  const about = { version: row.version, reason: decision.feedback };
  if (
    (row.status === 'rejected' || row.status === 'needs_review') &&
    (await isRepeated(tx, id, event, actor, about))
  )
    return { row, replan: false, repeated: true };
  nextStatus(row.status, event);
  const feedback = decision.feedback ?? null;
  if (event === 'request_changes' && feedback === null) {
    throw new CountersignError('feedback_required', 'Say what should change: propose changes: …');
  }
  const left = hasProposalsLeft(row);
  if (row.status === 'rejected' && !left) {
    throw new CountersignError(
      'invalid_transition',
      `Version ${row.version} was rejected and was the last one. Ask for a new plan.`,
      { details: { status: row.status } },
    );
  }
  const exhausted = feedback !== null && !left && row.status === 'proposed';
  const replan = feedback !== null && left && row.status !== 'needs_review';
  const changed = await transition(
    tx,
    context.enqueue,
    row,
    exhausted ? 'escalate' : event,
    { actor, ...(feedback === null ? {} : { reason: feedback }) },
    {
      rejection_history: refusal(context, row, actor, decision),
      revising: replan,
      decided_by: exhausted ? null : actor.id,
      decided_at: exhausted ? null : context.clock.now(),
    },
  );
  return { row: changed, replan, repeated: false };
}

/**
 * Stops the plan for good. What runs is told to stop; what has not begun never will.
 * @returns null: the same person did just this before
 */
export async function cancelPlan(
  context: PlansContext,
  tx: Transaction,
  id: string,
  decision: Decision,
  actor: Actor,
): Promise<PlanRow | null> {
  const row = await lockForDecision(context, tx, id, decision.version, actor);
  const about = { version: row.version, reason: decision.feedback };
  if (row.status === 'cancelled' && (await isRepeated(tx, id, 'cancel', actor, about))) return null;
  nextStatus(row.status, 'cancel');
  await dropWithPlan(tx, row, actor);
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
    { actor, ...(decision.feedback === undefined ? {} : { reason: decision.feedback }) },
    {
      revising: false,
      decided_by: actor.id,
      decided_at: context.clock.now(),
      ...(row.execution_started_at === null ? {} : { execution_ended_at: context.clock.now() }),
    },
  );
  await notify(tx, `cancel:${id}`);
  return changed;
}

/** Lets running steps end and starts no new one, until it is resumed. */
export async function pausePlan(
  context: PlansContext,
  tx: Transaction,
  id: string,
  decision: Decision,
  actor: Actor,
): Promise<PlanRow> {
  const row = await lockForDecision(context, tx, id, decision.version, actor);
  if (row.status !== 'executing' || row.paused_at !== null) {
    if (
      row.paused_at !== null &&
      (await isRepeated(tx, id, 'pause', actor, { version: row.version }))
    )
      return row;
    throw new CountersignError(
      'invalid_transition',
      row.paused_at === null
        ? `This plan is ${row.status}; only a running plan can be paused.`
        : 'This plan is already paused.',
      { details: { status: row.status } },
    );
  }
  await tx.update(plans).set({ paused_at: context.clock.now() }).where(eq(plans.id, id));
  await touchPlan(tx, id, 'paused', `by ${actor.id}`);
  await recordDeeds(tx, [{ planId: id, actor, action: 'pause', version: row.version }]);
  await wakeWatchers(tx, context.enqueue, id);
  return { ...row, paused_at: context.clock.now() };
}
