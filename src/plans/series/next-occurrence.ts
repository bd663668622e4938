// When the next occurrence of a plan's series is due.
import type { Queryable } from '#db/database.ts';
import { readEarliestReady, readSeries } from '#db/plans/series.ts';
import type { Plan } from '#domain/plan/plan.ts';
import { occurrencesAfter } from './series.ts';

/** ISO 8601, UTC; null if none is upcoming or something is due now. */
export async function findNextOccurrence(
  db: Queryable,
  plan: Pick<Plan, 'id' | 'status' | 'open_until'>,
): Promise<string | null> {
  if (plan.open_until === null || plan.status !== 'executing') return null;
  const ready = await readEarliestReady(db, plan.id);
  if (ready !== null) return ready.due ? null : ready.at;
  const moments = (await readSeries(db, plan.id)).flatMap((series) =>
    series.expand_at === null ? [] : occurrencesAfter(series, series.expanded_to, 1),
  );
  const [next] = moments.sort((a, b) => a.getTime() - b.getTime());
  return next?.toISOString() ?? null;
}
