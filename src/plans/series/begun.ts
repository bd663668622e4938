// Tells which occurrences have begun, which a change of their series leaves alone.
import type { Queryable } from '#db/database.ts';
import { findBegun } from '#db/plans/series.ts';
import type { Series } from '#domain/plan/plan.ts';
import { readOccurrenceId, templatesOf } from './series.ts';

/** Those of the steps whose occurrence belongs to one of `series` and has no step that has begun. */
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
