// Skips or ends recurring steps, without a new version.
import { recordAudit } from '#db/audit/audit.ts';
import type { Transaction } from '#db/database.ts';
import { showName } from '#db/people/identities.ts';
import type { PlanRow } from '#db/plans/plans.ts';
import { readUpcoming, type UpcomingStep } from '#db/plans/recurring.ts';
import { readSeries, type SeriesRow, updateSeries } from '#db/plans/series.ts';
import { touchPlan } from '#db/steps/events.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import { conditionNotMet } from '#domain/plan/condition.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { skipUnbegun } from '../change/skip-missed.ts';
import { finishIfDone } from '../lifecycle/ended-steps.ts';
import { wakeWatchers } from '../lifecycle/lifecycle.ts';
import { notPossible } from '../lifecycle/lifecycle-table.ts';
import type { PlansContext } from '../plans-context.ts';
import { keepUnbegun } from '../series/begun.ts';
import { dueBefore, occurrencesAfter, templatesOf } from '../series/series.ts';
import { managedPlan, type PlanRuling } from './repeated.ts';

/** Existing steps, then those the rule yields. */
export function nextOf(series: SeriesRow, upcoming: UpcomingStep[], limit: number): Date[] {
  const known = [...new Set(upcoming.map(({ not_before }) => not_before))].map(
    (iso) => new Date(iso),
  );
  const later =
    series.expand_at === null ? [] : occurrencesAfter(series, series.expanded_to, limit);
  return [...known, ...later].slice(0, limit);
}

/** @throws `not_found` if it has ended */
async function findSeries(tx: Transaction, planId: string, id: string): Promise<SeriesRow> {
  const found = (await readSeries(tx, planId)).find((one) => one.id === id);
  if (found !== undefined) return found;
  throw new CountersignError('not_found', `Nothing named ${id} repeats in ${planId} any more.`);
}

/** With dependents; a retry doesn't bring them back. */
async function leaveOut(
  tx: Transaction,
  planId: string,
  steps: UpcomingStep[],
  note: string,
): Promise<void> {
  if (steps.length === 0) return;
  const positions = steps.map(({ position }) => position);
  await skipUnbegun(tx, planId, positions, note, { code: conditionNotMet, message: note });
}

function rulingOn(
  context: PlansContext,
  planId: string,
  seriesId: string,
  actor: Actor,
  action: 'skip_occurrence' | 'end_series',
  /** @returns the event's words */
  act: (tx: Transaction, series: SeriesRow, name: string) => Promise<string>,
): PlanRuling {
  return {
    ...managedPlan(context, planId, actor),
    isRepeated: async () => false,
    async requireCurrent(_, row) {
      if (row.status !== 'executing') throw notPossible(row.status, 'continue');
    },
    async apply(tx, row): Promise<PlanRow> {
      const series = await findSeries(tx, planId, seriesId);
      const result = await act(tx, series, await showName(tx, actor.id));
      await touchPlan(tx, planId, action === 'end_series' ? 'series_stopped' : action, result);
      const data = { series: seriesId };
      await recordAudit(tx, [
        { planId, actor, action, version: row.version, reason: result, data },
      ]);
      const after = await managedPlan(context, planId, actor).lock(tx);
      await finishIfDone(context, tx, after, after, actor);
      await wakeWatchers(tx, context.enqueue, planId);
      return after;
    },
  };
}

/** @param seen the time shown, or null for any @throws (with it) `not_found`, `already_decided` if another is next */
export function skippingOnce(
  context: PlansContext,
  planId: string,
  seriesId: string,
  seen: string | null,
  actor: Actor,
): PlanRuling {
  return rulingOn(context, planId, seriesId, actor, 'skip_occurrence', async (tx, series, name) => {
    const upcoming = await readUpcoming(tx, planId, [...templatesOf([series])], 1);
    const [next] = nextOf(series, upcoming, 1);
    if (next === undefined) throw nothingLeft(series);
    if (seen !== null && Date.parse(seen) !== next.getTime())
      throw new CountersignError(
        'already_decided',
        'The next run is no longer the one shown. Nothing was skipped. Send “reminders” for the current list.',
      );
    const steps = await keepUnbegun(tx, planId, [series], upcoming);
    if (upcoming.length > 0 && steps.length === 0)
      throw new CountersignError(
        'already_decided',
        'It has already started. Cancel the plan to stop it.',
      );
    await leaveOut(tx, planId, steps, `Left out once by ${name}.`);
    if (upcoming.length === 0) {
      const [following] = occurrencesAfter(series, next, 1);
      const expand_at = dueBefore(following ?? null);
      await updateSeries(tx, planId, series.id, { expanded_to: next, expand_at });
    }
    return `${quoteWords(series.title, 200)} is left out once, at ${next.toISOString()}, by ${name}.`;
  });
}

/** Unbegun steps never run. */
export function endingSeries(
  context: PlansContext,
  planId: string,
  seriesId: string,
  actor: Actor,
): PlanRuling {
  return rulingOn(context, planId, seriesId, actor, 'end_series', async (tx, series, name) => {
    const templates = [...templatesOf([series])];
    const all = await readUpcoming(tx, planId, templates, Number.MAX_SAFE_INTEGER);
    const steps = await keepUnbegun(tx, planId, [series], all);
    await leaveOut(tx, planId, steps, `Ended by ${name}.`);
    const now = context.clock.now();
    await updateSeries(tx, planId, series.id, { stopped_at: now, expand_at: null });
    return `${quoteWords(series.title, 200)} won't repeat: ended by ${name}.`;
  });
}

function nothingLeft({ title }: SeriesRow): CountersignError {
  return new CountersignError('not_found', `Nothing of ${quoteWords(title, 200)} is left to come.`);
}
