// A turn that costs one round trip: lock, settle, start and commit are sent together. That is only for what needs no look in
// between: successes of a plain plan, whose next steps start in the statement that frees them, and of which nobody is told
// now. Postgres itself asks whether the plan still is plain, under its lock; where it is not, nothing is taken and the
// ordinary turn follows.
//
// With them go successes of steps that were called ahead (`ahead.ts`), and steps are granted that may be called so next.
//
// Whoever else holds the plan's lock is waited for, and what they changed is seen. Sent again after an answer that was
// lost, outcomes that stand are not taken again, by their attempts, and the ordinary turn finds that they stand. When this
// process dies, or its lease was lost, before the answer comes, steps that started were not called and run again later.
import {
  type AheadOutcome,
  type CallTimes,
  type GrantTerms,
  type Outcome,
  settleAtOnce,
} from '#store/sql/settle.ts';
import { offersOf } from './backend.ts';
import { findStartTerms, type LaneBook } from './claim.ts';
import { passCrashPoint } from './crash-points.ts';
import type { ExecutorContext } from './executor-context.ts';
import { fitToRows } from './settle.ts';
import { isChained, type Turn } from './turn.ts';

/** A success of a step that was called ahead; `unmet`: how many of its prerequisites are settled with it. */
export type AheadSuccess = { outcome: Outcome; unmet: number } & CallTimes;

/** What is settled with successes of steps that were called ahead, and what may be called so next. */
export type GoingAhead = GrantTerms & {
  successes: AheadSuccess[];
  /** Of each outcome that is settled with `successes`, in their order; empty where there are none. */
  times: CallTimes[];
};

export const nothingAhead: GoingAhead = { successes: [], times: [], grants: 0, known: [] };

/** null: one of them does not fit into a row. */
function fitAhead(successes: AheadSuccess[]): AheadOutcome[] | null {
  const fitted = fitToRows(successes.map(({ outcome }) => outcome));
  if (fitted === null) return null;
  return successes.flatMap(({ outcome: _, ...rest }, i) => {
    const one = fitted[i];
    return one === undefined ? [] : [{ ...one, ...rest }];
  });
}

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
  { successes, times, ...grant }: GoingAhead = nothingAhead,
): Promise<Turn | null> {
  if (outcomes.length === 0 || book.offers !== offersOf(context.backend)) return null;
  const start = findStartTerms(book, outcomes, room);
  const fitted = fitToRows(outcomes);
  const ahead = fitAhead(successes);
  if (start === null || fitted === null || ahead === null) return null;
  // What is sent commits by itself: here is the last moment at which this process can die with nothing stored.
  passCrashPoint('before_attempt');
  passCrashPoint('in_settle');
  const timed = fitted.map((outcome, i) => ({ ...outcome, ...times[i] }));
  const sent = { outcomes: timed, ahead };
  const settled = await settleAtOnce(context.db, planId, context.worker, sent, start, grant);
  if (settled === null) return null;
  passCrashPoint('after_outcome');
  const { plan, started: steps, granted, progress } = settled;
  const taken = new Set(settled.taken);
  const rest = outcomes.filter(({ position }) => !taken.has(position));
  // What became ready is claimed, or booked for its time, by the next turn; who else may run it is not looked up.
  const more = progress !== null && progress.ready > 0;
  const chained = rest.length === 0 && isChained(plan, progress, 0);
  return {
    steps,
    pending: progress?.pending ?? plan.pending,
    granted,
    ahead: successes.length > 0,
    more,
    others: more,
    nextInMs: null,
    plan,
    book,
    announced: false,
    chained,
    taken: settled.taken,
    rest,
  };
}
