// Steps whose start has passed begin immediately, so their approval has to say that the reader saw it.
import type { PlanRow } from '#db/plans/plans.ts';
import { touchPlan } from '#db/steps/events.ts';
import { CountersignError } from '#domain/errors.ts';
import type { PassedStarts } from '#domain/plan/passed-starts.ts';
import type { Approval } from '#domain/service.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { listOf } from '#domain/words.ts';
import { currentOf } from '../lifecycle/current.ts';
import { wakeWatchers } from '../lifecycle/wake.ts';
import type { PlansContext } from '../plans-context.ts';

/** @param whole only the whole can be approved, without leaving out steps */
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

/** Runs a check of `requireStartsShown`. If it refuses, redraws the cards, which then show the passed starts. */
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
