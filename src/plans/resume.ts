// Going on: after a pause, a stall or a failure, and with a person's word about steps whose outcome is not known.
import { and, eq, inArray, isNotNull, sql } from 'drizzle-orm';
import type { Actor } from '#contracts/actor.ts';
import { CountersignError } from '#contracts/errors.ts';
import type { StepCounts, StepStatus } from '#contracts/plan.ts';
import type { Decision, Settlement } from '#contracts/service.ts';
import { recordDeeds } from '#store/audit.ts';
import { changeSteps, type PlanProgress } from '#store/change-steps.ts';
import type { Transaction } from '#store/database.ts';
import { touchPlan } from '#store/events.ts';
import { notify } from '#store/notify.ts';
import { lockPlan, type PlanRow } from '#store/plans.ts';
import { planSteps, plans } from '#store/schema.ts';
import { skipDependents } from '#store/sql/settle.ts';
import { settleByPerson, type Verdict } from '#store/sql/settle-by-person.ts';
import { isAskedPerson } from './asked-person.ts';
import { requireApprover, requireManager } from './authority.ts';
import { requireVersion } from './decide.ts';
import { finishIfDone } from './finish.ts';
import { transition } from './lifecycle.ts';
import { nextStatus } from './lifecycle-table.ts';
import type { PlansContext } from './plans-context.ts';

type Fates = Record<string, 'retry' | 'done' | 'failed'>;

function verdictsOf(steps: Fates, actor: Actor, answer: string | undefined): Verdict[] {
  return Object.entries(steps).map(([step_id, fate]): Verdict => {
    switch (fate) {
      case 'retry':
        return { step_id, status: 'ready', summary: null, output: null, error: null };
      case 'done':
        return {
          step_id,
          status: 'succeeded',
          summary: answer ?? `Marked done by ${actor.id}`,
          output: { answer: answer ?? null, by: actor.id },
          error: null,
        };
      case 'failed':
        return {
          step_id,
          status: 'failed',
          summary: null,
          output: null,
          error: { code: 'tool_failed', message: answer ?? `${actor.id} marked it failed` },
        };
      default:
        return fate satisfies never;
    }
  });
}

/** Pending steps nothing stands before become ready, with their not-before times. The caller holds the plan's lock. */
export function readyTheFree(tx: Transaction, planId: string): Promise<PlanProgress | null> {
  return changeSteps(tx, planId, {
    from: ['pending'],
    to: 'ready',
    kind: 'step_ready',
    where: sql`s.unmet = 0`,
    set: sql`, available_at = coalesce(s.available_at, s.not_before)`,
  });
}

/** Takes back what was skipped, except behind steps that are still failed. */
async function reviveSkipped(tx: Transaction, planId: string): Promise<PlanProgress | null> {
  const revived = await changeSteps(tx, planId, {
    from: ['skipped'],
    to: 'pending',
    kind: 'step_pending',
    set: sql`, ended_at = null`,
  });
  const failed = await tx
    .select({ position: planSteps.position })
    .from(planSteps)
    .where(and(eq(planSteps.plan_id, planId), eq(planSteps.status, 'failed')));
  const skipped =
    failed.length === 0
      ? null
      : await skipDependents(
          tx,
          planId,
          failed.map(({ position }) => position),
        );
  return (await readyTheFree(tx, planId)) ?? skipped ?? revived;
}

/** Whether one of the steps is a guarded call that asks again with its final values: an approval of its own. */
async function asksToConfirm(tx: Transaction, planId: string, ids: string[]): Promise<boolean> {
  const found = await tx
    .select({ id: planSteps.step_id })
    .from(planSteps)
    .where(
      and(
        eq(planSteps.plan_id, planId),
        eq(planSteps.status, 'waiting'),
        isNotNull(planSteps.final_args),
        inArray(planSteps.step_id, ids),
      ),
    )
    .limit(1);
  return found.length > 0;
}

/** Settles the named steps. @throws `unknown_step` when one of them is not waiting for a person */
async function settle(
  tx: Transaction,
  row: PlanRow,
  from: StepStatus[],
  settlement: Settlement,
  actor: Actor,
  approvers: string[],
): Promise<PlanProgress | null> {
  const steps = settlement.steps ?? {};
  const names = Object.keys(steps);
  if (names.length === 0) return null;
  if (await asksToConfirm(tx, row.id, names)) requireApprover(row, approvers, actor);
  const { moved, failed, progress } = await settleByPerson(
    tx,
    row.id,
    from,
    verdictsOf(steps, actor, settlement.answer),
  );
  const left = names.filter((id) => !moved.includes(id));
  if (left.length > 0) {
    throw new CountersignError(
      'unknown_step',
      `Nothing is to be decided about step ${left.slice(0, 10).join(', ')}: it is not waiting for a person.`,
      { details: { steps: left } },
    );
  }
  await recordDeeds(
    tx,
    Object.entries(steps).map(([step, fate]) => ({
      planId: row.id,
      actor,
      action: `settle_${fate}`,
      version: row.version,
      data: { step, answer: settlement.answer ?? null },
    })),
  );
  const skipped = failed.length === 0 ? null : await skipDependents(tx, row.id, failed);
  return skipped ?? progress;
}

/** Wakes workers and whoever watches. */
async function wake(context: PlansContext, tx: Transaction, planId: string): Promise<void> {
  await context.enqueue(tx, 'step', { plan_id: planId }, { key: planId });
  await context.enqueue(tx, 'card', { plan_id: planId }, { key: planId });
  await notify(tx, `plan:${planId}`);
}

const revivable: Partial<Record<PlanRow['status'], StepStatus[]>> = {
  executing: ['unknown', 'waiting'],
  stalled: ['unknown', 'waiting'],
  failed: ['failed', 'unknown', 'waiting'],
};

/**
 * Goes on with a paused, stalled or failed plan, or settles steps that wait for a person.
 * A failed plan goes on only with a word about its failed steps ("done" lets their dependents run).
 */
export async function resumePlan(
  context: PlansContext,
  tx: Transaction,
  id: string,
  settlement: Settlement,
  actor: Actor,
): Promise<PlanRow> {
  const row = await lockPlan(tx, id);
  if (!(await isAskedPerson(tx, id, settlement.steps, actor))) {
    requireManager(row, context.approvers, actor);
  }
  requireVersion(row, settlement.version);
  const from = revivable[row.status];
  if (from === undefined) nextStatus(row.status, 'resume');
  const named = Object.keys(settlement.steps ?? {}).length > 0;
  if (row.status === 'failed' && !named) {
    throw new CountersignError(
      'invalid_request',
      'Say what became of the failed steps (steps: { ID: "retry" | "done" }), or use retry to run them all again.',
    );
  }
  if (row.status === 'executing' && !named && row.paused_at === null) {
    throw new CountersignError(
      'invalid_transition',
      'This plan is running and not paused; there is nothing to resume.',
      { details: { status: row.status } },
    );
  }
  let progress: StepCounts | null = await settle(
    tx,
    row,
    from ?? [],
    settlement,
    actor,
    context.approvers,
  );
  let now = row;
  if (row.status === 'executing') {
    if (row.paused_at !== null && !named) {
      await tx.update(plans).set({ paused_at: null }).where(eq(plans.id, id));
      await touchPlan(tx, id, 'resumed', `by ${actor.id}`);
      await recordDeeds(tx, [{ planId: id, actor, action: 'resume', version: row.version }]);
    }
  } else {
    now = await transition(
      tx,
      context.enqueue,
      row,
      'resume',
      { actor },
      {
        execution_ended_at: null,
        paused_at: null,
        result_summary: null,
      },
    );
    // The last step may have ended while the plan stood still.
    progress = (await reviveSkipped(tx, id)) ?? now;
  }
  const ended = await finishIfDone(context, tx, now, progress, actor);
  if (!ended) await wake(context, tx, id);
  return now;
}

/** Runs every failed step again, and then what was skipped because of them. */
export async function retryPlan(
  context: PlansContext,
  tx: Transaction,
  id: string,
  decision: Decision,
  actor: Actor,
): Promise<PlanRow> {
  const row = await lockPlan(tx, id);
  requireManager(row, context.approvers, actor);
  requireVersion(row, decision.version);
  nextStatus(row.status, 'retry');
  if (row.execution_started_at === null) {
    throw new CountersignError(
      'invalid_transition',
      'This plan failed its checks before anything ran. Propose it again once the cause is mended.',
      { details: { status: row.status } },
    );
  }
  const now = await transition(
    tx,
    context.enqueue,
    row,
    'retry',
    { actor },
    {
      execution_ended_at: null,
      result_summary: null,
    },
  );
  await changeSteps(tx, id, {
    from: ['failed'],
    to: 'ready',
    kind: 'step_ready',
    detail: `retried by ${actor.id}`,
    set: sql`, available_at = null, ended_at = null, error = null, final_args = null`,
  });
  await reviveSkipped(tx, id);
  await wake(context, tx, id);
  return now;
}
