// One turn of a back end on a plan: settles what ended and claims what is ready, in one transaction under the plan's lock. A plan
// of short steps costs one commit per batch.
import type { Transaction } from '#db/database.ts';
import { lockPlan, type PlanRow } from '#db/plans/plans.ts';
import type { Outcome } from '#db/sql/settle.ts';
import { passCrashPoint } from '#domain/crash-points.ts';
import { announceProgress, wakeWatchers } from '#plans/lifecycle/wake.ts';
import { offersOf } from './backends.ts';
import {
  type Claim,
  claimReady,
  decideStart,
  type LaneBook,
  nothingClaimed,
  openLaneBook,
} from './claim.ts';
import type { ExecutorContext } from './executor-context.ts';
import { type Settlement, settleOutcomes } from './settle.ts';

export type Turn = Claim & {
  plan: PlanRow;
  book: LaneBook;
  /** Whether people will be notified of the change, or null if nothing changed. */
  announced: boolean | null;
};

/** Whether the outcome neither asks nor alerts a person. */
function isProgress({ status }: Outcome): boolean {
  return status === 'succeeded' || status === 'ready' || status === 'running';
}

/** Whether the lanes match the plan's version and this back end's offers. */
function isUpToDate(
  { backend }: ExecutorContext,
  { version }: PlanRow,
  book: LaneBook | null,
): book is LaneBook {
  return book?.version === version && book.offers === offersOf(backend);
}

/** Settles `outcomes` and starts the steps they free, if allowed. @returns null when there are none */
async function settleAndStart(
  context: ExecutorContext,
  tx: Transaction,
  plan: PlanRow,
  book: LaneBook,
  outcomes: Outcome[],
  room: number,
): Promise<Settlement | null> {
  if (outcomes.length === 0) return null;
  const start = decideStart(plan, book, outcomes, room);
  if (start !== null) passCrashPoint('before_attempt');
  const settled = await settleOutcomes(context, tx, plan, outcomes, start);
  passCrashPoint('in_settle');
  return settled;
}

/**
 * Settles `outcomes` (at most one per step) and claims up to `room` steps.
 * @param known the lanes as last read; read again if the plan's version differs
 * @param announce whether to notify of progress; otherwise the caller does. Questions and failures are always announced
 */
export async function takeTurn(
  context: ExecutorContext,
  planId: string,
  outcomes: Outcome[],
  room: number,
  known: LaneBook | null,
  announce = true,
): Promise<Turn> {
  const work = async (tx: Transaction) => {
    const plan = await lockPlan(tx, planId);
    const book = isUpToDate(context, plan, known) ? known : await openLaneBook(context, tx, plan);
    const settled = await settleAndStart(context, tx, plan, book, outcomes, room);
    const over = settled?.ended ?? false;
    const ready = settled?.progress?.ready ?? plan.ready;
    const started = settled?.started ?? [];
    const left = over ? 0 : room - started.length;
    if (left > 0 && ready > 0) passCrashPoint('before_attempt');
    const claimed =
      left > 0 ? await claimReady(context, tx, plan, book, ready, left) : nothingClaimed;
    const claim: Claim = {
      ...claimed,
      steps: [...started, ...claimed.steps],
      more: left > 0 ? claimed.more : !over && (ready > 0 || (settled?.more ?? false)),
    };
    const changed = outcomes.length > 0 || claim.steps.length > 0;
    const isTold = over || !outcomes.every(isProgress);
    if (changed && !over) {
      if (isTold) await wakeWatchers(tx, context.enqueue, planId);
      else if (announce) await announceProgress(tx, context, planId);
    }
    return { ...claim, plan, book, announced: changed ? isTold || announce : null };
  };
  const turn = await context.db.transaction(work, { planOnce: true });
  if (outcomes.length > 0) passCrashPoint('after_outcome');
  return turn;
}
