// One turn of a back end at a plan: what has ended is settled and what is ready is claimed, in one transaction under the
// plan's lock. So what a batch frees can be claimed with it, and a plan of short steps costs one commit a batch.
import { announceProgress, wakeScreens, wakeWatchers } from '#plans/wake.ts';
import type { Transaction } from '#store/database.ts';
import { lockPlan, type PlanRow } from '#store/plans.ts';
import type { Outcome } from '#store/sql/settle.ts';
import { offersOf } from './backend.ts';
import { type Claim, claimReady, type LaneBook, nothingClaimed, openLaneBook } from './claim.ts';
import { passCrashPoint } from './crash-points.ts';
import type { ExecutorContext } from './executor-context.ts';
import { settleOutcomes } from './settle.ts';

export type Turn = Claim & {
  plan: PlanRow;
  book: LaneBook;
  /** Whether people are going to be told of what has moved; null: nothing has. */
  announced: boolean | null;
};

/** Whether nobody is asked or told anything because of this outcome. */
function isProgress({ status }: Outcome): boolean {
  return status === 'succeeded' || status === 'ready';
}

/** Whether the lanes still are those of the plan's version, and of what this back end offers. */
function isUpToDate(
  { backend }: ExecutorContext,
  { version }: PlanRow,
  book: LaneBook | null,
): book is LaneBook {
  return book?.version === version && book.offers === offersOf(backend);
}

/**
 * Settles `outcomes` (at most one a step) and claims up to `room` steps.
 * @param known the lanes as they were read before; read again when the plan's version is another one
 * @param announce whether people are told of progress; the caller sees to it otherwise. What asks them for something, or
 *   tells them of a failure, is always told
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
    let ready = plan.ready;
    let over = false;
    let more = false;
    if (outcomes.length > 0) {
      const settled = await settleOutcomes(context, tx, plan, outcomes);
      ready = settled.progress?.ready ?? ready;
      over = settled.ended;
      more = settled.more;
      passCrashPoint('in_settle');
    }
    const book = isUpToDate(context, plan, known) ? known : await openLaneBook(context, tx, plan);
    if (room > 0 && ready > 0) passCrashPoint('before_attempt');
    const claim: Claim =
      over || room === 0 ? nothingClaimed : await claimReady(context, tx, plan, book, ready, room);
    const changed = outcomes.length > 0 || claim.steps.length > 0;
    const isTold = over || !outcomes.every(isProgress);
    if (changed && !over) {
      if (isTold) await wakeWatchers(tx, context.enqueue, planId);
      else {
        if (announce) await announceProgress(tx, context, planId);
        await wakeScreens(tx, planId);
      }
    }
    return {
      ...claim,
      more: room === 0 ? more || ready > 0 : claim.more,
      plan,
      book,
      announced: changed ? isTold || announce : null,
    };
  };
  const turn = await context.db.transaction(work, { planOnce: true });
  if (outcomes.length > 0) passCrashPoint('after_outcome');
  return turn;
}
