// A turn that costs one round trip: lock, settle, start and commit are sent together. That is only for what needs no look in
// between: successes of a plain plan, whose next steps start in the statement that frees them, and of which nobody is told
// now. Postgres itself asks whether the plan still is plain, under its lock; where it is not, nothing is taken and the
// ordinary turn follows.
//
// Whoever else holds the plan's lock is waited for, and what they changed is seen. Sent again after an answer that was
// lost, outcomes that stand are not taken again, by their attempts, and the ordinary turn finds that they stand. When this
// process dies, or its lease was lost, before the answer comes, steps that started were not called and run again later.
import { type Outcome, settleAtOnce } from '#store/sql/settle.ts';
import { offersOf } from './backend.ts';
import { findStartTerms, type LaneBook } from './claim.ts';
import { passCrashPoint } from './crash-points.ts';
import type { ExecutorContext } from './executor-context.ts';
import { fitToRows } from './settle.ts';
import { isChained, type Turn } from './turn.ts';

/**
 * Settles `outcomes` (at most one a step) and starts what they free. Nobody is told of it: the caller sees to that.
 * What is not taken, since its lease seems to be lost, is left for an ordinary turn to look at.
 * @returns null: nothing was taken, and an ordinary turn is needed
 */
export async function takeTurnAtOnce(
  context: ExecutorContext,
  planId: string,
  outcomes: Outcome[],
  room: number,
  book: LaneBook,
): Promise<Turn | null> {
  if (outcomes.length === 0 || book.offers !== offersOf(context.backend)) return null;
  const start = findStartTerms(book, outcomes, room);
  const fitted = fitToRows(outcomes);
  if (start === null || fitted === null) return null;
  // What is sent commits by itself: here is the last moment at which this process can die with nothing stored.
  passCrashPoint('before_attempt');
  passCrashPoint('in_settle');
  const settled = await settleAtOnce(context.db, planId, context.worker, fitted, start);
  if (settled === null) return null;
  passCrashPoint('after_outcome');
  const { plan, started: steps, progress } = settled;
  const taken = new Set(settled.taken);
  const rest = outcomes.filter(({ position }) => !taken.has(position));
  // What became ready is claimed, or booked for its time, by the next turn; who else may run it is not looked up.
  const more = progress !== null && progress.ready > 0;
  const chained = rest.length === 0 && isChained(plan, progress, 0);
  return {
    steps,
    more,
    others: more,
    nextInMs: null,
    plan,
    book,
    announced: false,
    chained,
    rest,
  };
}
