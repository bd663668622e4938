// Words for how often plans repeat, on cards and in lists.
import type { Queryable } from '#db/database.ts';
import { readRhythms } from '#db/plans/series.ts';
import type { PlanSummary, Series } from '#domain/plan/plan.ts';
import { describeRhythm } from '#timeline/repetition.ts';

export type Rhythm = Pick<Series, 'rrule' | 'timezone' | 'starts_at'>;

/** `every Monday`, each once, or nothing for a plan that runs once. */
export function describeRepeats(series: readonly Rhythm[]): { repeats?: string[] } {
  if (series.length === 0) return {};
  const rhythms = series.map(({ rrule, timezone, starts_at }) =>
    describeRhythm({ rrule, timezone, startsAt: new Date(starts_at) }),
  );
  return { repeats: [...new Set(rhythms)] };
}

/** The plans with how often they repeat. Free for those that run once. */
export async function addRepeats<P extends PlanSummary>(db: Queryable, plans: P[]): Promise<P[]> {
  const ids = plans.filter(({ open_until }) => open_until !== null).map(({ id }) => id);
  if (ids.length === 0) return plans;
  const rhythms = await readRhythms(db, ids);
  return plans.map((plan) => ({ ...plan, ...describeRepeats(rhythms.get(plan.id) ?? []) }));
}
