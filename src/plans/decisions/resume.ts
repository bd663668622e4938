// Continues a stopped plan and settles unknown steps.
import { eq, sql } from 'drizzle-orm';
import { recordAudit } from '#db/audit/audit.ts';
import type { Queryable, Transaction } from '#db/database.ts';
import { lockPlan, type PlanRow } from '#db/plans/plans.ts';
import { restartAllSeries } from '#db/plans/series.ts';
import { plans } from '#db/schema.ts';
import { changeSteps } from '#db/steps/accounting.ts';
import { touchPlan } from '#db/steps/events.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { StepStatus } from '#domain/plan/plan.ts';
import type { Rerun, Settlement } from '#domain/service.ts';
import { requireAnswerer } from '../authority/asked-person.ts';
import type { Ruling } from '../lifecycle/decide.ts';
import { finishIfDone, reviveSkipped } from '../lifecycle/ended-steps.ts';
import { transition, wakeWatchers, wakeWorkers } from '../lifecycle/lifecycle.ts';
import { nextStatus, sourcesOf } from '../lifecycle/lifecycle-table.ts';
import type { PlansContext } from '../plans-context.ts';
import {
  checkRepeated,
  managedPlan,
  type PlanRuling,
  requireVersion,
  wasMadeBefore,
} from './repeated.ts';
import { settleNamed } from './settle-named.ts';
import { explainLateAnswer } from './stale-answers.ts';
import { hasTakenOver, takeOver } from './take-over.ts';

/** Step statuses a person can settle, by plan status. */
const revivable: Partial<Record<PlanRow['status'], StepStatus[]>> = {
  executing: ['unknown', 'waiting', 'failed'],
  stalled: ['unknown', 'waiting', 'failed'],
  failed: ['failed', 'unknown', 'waiting'],
};

const askable: typeof revivable = {
  executing: ['waiting'],
  stalled: ['waiting'],
  failed: ['waiting'],
};

const namedIn = ({ steps }: Settlement) => Object.keys(steps ?? {});

type Answerer = 'asked' | 'manager';

const settleable = (who: Answerer, { status }: PlanRow) =>
  (who === 'asked' ? askable : revivable)[status];

/** @throws `invalid_transition`, `invalid_request`, `already_decided` */
async function requireResumable(
  q: Queryable,
  row: PlanRow,
  settlement: Settlement,
  who: Answerer,
): Promise<void> {
  requireVersion(row, settlement.version);
  const names = namedIn(settlement);
  if (Object.values(settlement.steps ?? {}).includes('take_over')) return;
  if (settleable(who, row) === undefined) {
    await explainLateAnswer(q, row, names);
    nextStatus(row.status, 'resume');
  }
  if (names.length > 0) return;
  if (row.status === 'failed') {
    throw new CountersignError(
      'invalid_request',
      'Say what to do about the failed steps (steps: { ID: "retry" | "skip" }), or use retry to run them all again.',
    );
  }
  if (row.status === 'executing' && row.paused_at === null) {
    throw new CountersignError(
      'invalid_transition',
      'This plan is running and not paused; there is nothing to resume.',
      { details: { status: row.status } },
    );
  }
}

/** A failed plan needs an outcome for each failed step. */
export function resumption(
  context: PlansContext,
  id: string,
  settlement: Settlement,
  actor: Actor,
): Ruling<PlanRow, Answerer, PlanRow> {
  const { version, steps, answer } = settlement;
  const named = namedIn(settlement).length > 0;
  return {
    lock: (tx) => lockPlan(tx, id),
    requireAllowed: (q, row) => requireAnswerer(q, context, row, steps, actor),
    isRepeated: async (q, row) =>
      row.version === version &&
      row.status === 'executing' &&
      (named
        ? hasTakenOver(q, id, steps ?? {}, actor)
        : row.paused_at === null &&
          answer === undefined &&
          wasMadeBefore(q, id, 'resume', actor, { version })),
    requireCurrent: (q, row, who) => requireResumable(q, row, settlement, who),
    async apply(tx, row, who) {
      if (Object.values(steps ?? {}).includes('take_over')) {
        await takeOver(context, tx, row, askable[row.status] ?? [], settlement, actor);
        return row;
      }
      const from = settleable(who, row) ?? [];
      const settled = await settleNamed(tx, row, from, settlement, actor, context);
      const isStopped = row.status !== 'executing';
      const now = isStopped ? await runAgain(context, tx, row, 'resume', actor) : row;
      // The last step may have ended meanwhile.
      const progress = isStopped
        ? ((await reviveSkipped(tx, id, context.onFailure)) ?? now)
        : settled;
      if (row.status === 'executing' && row.paused_at !== null && !named) {
        await tx.update(plans).set({ paused_at: null }).where(eq(plans.id, id));
        await touchPlan(tx, id, 'resumed', `by ${actor.id}`);
        await recordAudit(tx, [{ planId: id, actor, action: 'resume', version }]);
      }
      const ended = await finishIfDone(context, tx, now, progress, actor);
      if (!ended) {
        await wakeWorkers(tx, id);
        await wakeWatchers(tx, context.enqueue, id);
      }
      return now;
    },
  };
}

async function runAgain(
  { enqueue, onFailure }: PlansContext,
  tx: Transaction,
  row: PlanRow,
  event: 'resume' | 'continue',
  actor: Actor,
): Promise<PlanRow> {
  const set = { execution_ended_at: null, paused_at: null, result_summary: null };
  const now = await transition(tx, enqueue, row, event, { actor }, set);
  // Until the failure is fixed.
  const stopped = onFailure === 'stop_all' && row.failed > 0;
  if (row.open_until !== null && row.status !== 'completed' && !stopped)
    await restartAllSeries(tx, row.id);
  return now;
}

/** For an approved change, under the lock; the caller applies it, then makes steps ready. */
export const continuePlan = async (
  context: PlansContext,
  tx: Transaction,
  row: PlanRow,
  actor: Actor,
): Promise<PlanRow> =>
  sourcesOf('continue').includes(row.status) ? runAgain(context, tx, row, 'continue', actor) : row;

/** @throws `already_decided` if it ran again since the end seen */
function requireEnd({ execution_ended_at: ended }: PlanRow, seen: string | undefined): void {
  if (seen === undefined || ended?.getTime() === Date.parse(seen)) return;
  throw new CountersignError(
    'already_decided',
    'The failed steps have already been retried since you looked. Your press changed nothing.',
  );
}

/** Failed steps, then those skipped because of them. */
export function rerun(
  context: PlansContext,
  id: string,
  { version, ended_at }: Rerun,
  actor: Actor,
): PlanRuling {
  return {
    ...managedPlan(context, id, actor),
    isRepeated: checkRepeated(
      id,
      'retry',
      actor,
      { version },
      ({ status }) => status === 'executing',
    ),
    async requireCurrent(_, row) {
      requireVersion(row, version);
      requireEnd(row, ended_at);
      nextStatus(row.status, 'retry');
      if (row.execution_started_at !== null) return;
      throw new CountersignError(
        'invalid_transition',
        'This plan failed its checks before anything ran. Propose it again once the cause is fixed.',
        { details: { status: row.status } },
      );
    },
    async apply(tx, row) {
      const set = { execution_ended_at: null, result_summary: null };
      const now = await transition(tx, context.enqueue, row, 'retry', { actor }, set);
      if (row.open_until !== null) await restartAllSeries(tx, id);
      await changeSteps(tx, id, {
        from: ['failed'],
        to: 'ready',
        kind: 'step_ready',
        detail: `retried by ${actor.id}`,
        set: sql`, available_at = clock_timestamp(), tries = 0, ended_at = null, error = null, final_args = null`,
      });
      await reviveSkipped(tx, id, context.onFailure);
      await wakeWorkers(tx, id);
      await wakeWatchers(tx, context.enqueue, id);
      return now;
    },
  };
}
