// Matches occurrences with stored steps.
import type { Queryable } from '#db/database.ts';
import { findBegun, readRemoved } from '#db/plans/series.ts';
import type { Series } from '#domain/plan/plan.ts';
import { mapInSlices } from '#domain/slices.ts';
import {
  namesOfOccurrence,
  type OccurrenceStep,
  readOccurrenceId,
  stepsOfOccurrence,
  templatesOf,
} from './series.ts';

export async function keepUnbegun<Step extends { id: string }>(
  tx: Queryable,
  planId: string,
  series: readonly Pick<Series, 'steps'>[],
  steps: Step[],
): Promise<Step[]> {
  const siblings = new Map(
    series.flatMap((one) => {
      const templates = [...templatesOf([one])];
      return templates.map((id) => [id, templates] as const);
    }),
  );
  const known = new Set(siblings.keys());
  const wholeOf = ({ id }: Step): string[] => {
    const place = readOccurrenceId(id, known);
    if (place === null) return [];
    return (siblings.get(place.template) ?? []).map((one) => `${one}#${place.occurrence}`);
  };
  const found = steps.map((step) => ({ step, whole: wholeOf(step) }));
  const ids = [...new Set(found.flatMap(({ whole }) => whole))];
  const begun = new Set(await findBegun(tx, planId, ids));
  return found.flatMap(({ step, whole }) =>
    whole.length === 0 || whole.some((id) => begun.has(id)) ? [] : [step],
  );
}

/** Under the first name that no removed occurrence has. */
export async function nameOccurrences(
  tx: Queryable,
  planId: string,
  series: Series,
  moments: Date[],
): Promise<OccurrenceStep[]> {
  const named: OccurrenceStep[] = [];
  let open = moments.map((moment) => ({ moment, names: namesOfOccurrence(series, moment) }));
  while (open.length > 0) {
    const tried = await mapInSlices(open, ({ moment, names }) => ({
      moment,
      names,
      steps: stepsOfOccurrence(series, moment, names.next().value),
    }));
    const ids = tried.flatMap(({ steps }) => steps.map(({ id }) => id));
    const removed = await readRemoved(tx, planId, ids);
    open = tried.filter(({ steps }) => {
      const stored = steps.flatMap(({ id }) => removed.get(id) ?? []);
      if (stored.length > 0 && !stored.includes(false)) return true;
      named.push(...steps.filter(({ id }) => removed.get(id) !== true));
      return false;
    });
  }
  return named.sort((a, b) => (a.not_before ?? '').localeCompare(b.not_before ?? ''));
}
