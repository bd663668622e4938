// What an approval means for what comes again: a step of which people left out every occurrence they were shown does not
// come again, and a series of which nothing is left has ended.
import type { Transaction } from '#store/database.ts';
import { postponeSeries, readSeries, readTemplates, updateSeries } from '#store/series.ts';
import { templatesOf } from './series.ts';

/** Keeps in force what was approved of a plan's series. The caller holds the plan's lock. */
export async function narrowSeries(tx: Transaction, planId: string): Promise<void> {
  const all = await readSeries(tx, planId);
  const templates = await readTemplates(tx, planId, [...templatesOf(all)]);
  const kept = new Set(templates.filter((one) => one.kept).map(({ id }) => id));
  if (kept.size === 0) return postponeSeries(tx, planId, null);
  for (const { id, steps } of all) {
    const left = steps.filter((step) => kept.has(step.id ?? ''));
    if (left.length === steps.length) continue;
    // Nothing is added of a series without steps.
    await updateSeries(tx, planId, id, left.length === 0 ? { expand_at: null } : { steps: left });
  }
}
