// Skips occurrences that no one started on their day, each with a note. They are not made up for.
import { sql } from 'drizzle-orm';
import type { Transaction } from '#db/database.ts';
import { findBegun, findOverdue, readSeries } from '#db/plans/series.ts';
import { skipDependents } from '#db/sql/settle.ts';
import { changeSteps, type PlanProgress } from '#db/steps/change-steps.ts';
import type { PlansContext } from '../plans-context.ts';
import { isMissed, lateMs, readOccurrenceId } from '../series/series.ts';

const overdueATurn = 5000;
export const missedNote = 'Skipped: its day had passed before it could start.';

type Owner = { timezone: string; siblings: string[] };

/**
 * Skips the occurrences of a plan whose day has ended and of which no step has begun. The caller holds the plan's lock.
 * @returns the plan's counters after it, or null if nothing was missed
 */
export async function skipMissed(
  { clock }: Pick<PlansContext, 'clock'>,
  tx: Transaction,
  planId: string,
): Promise<PlanProgress | null> {
  const now = clock.now();
  const overdue = await findOverdue(tx, planId, new Date(now.getTime() - lateMs), overdueATurn);
  if (overdue.length === 0) return null;
  // Stopped series have remaining occurrences too.
  const owners = new Map<string, Owner>();
  for (const { steps, timezone } of await readSeries(tx, planId, true)) {
    const siblings = steps.flatMap(({ id }) => id ?? []);
    for (const id of siblings) owners.set(id, { timezone, siblings });
  }
  const templates = new Set(owners.keys());
  const missed = overdue.flatMap(({ id, position, not_before }) => {
    const place = readOccurrenceId(id, templates);
    const owner = place === null ? undefined : owners.get(place.template);
    if (place === null || owner === undefined) return [];
    if (!isMissed(new Date(not_before), owner.timezone, now)) return [];
    return [{ position, whole: owner.siblings.map((one) => `${one}#${place.occurrence}`) }];
  });
  if (missed.length === 0) return null;
  // Occurrences that have begun are completed, however late.
  const begun = new Set(
    await findBegun(tx, planId, [...new Set(missed.flatMap(({ whole }) => whole))]),
  );
  const positions = missed
    .filter(({ whole }) => !whole.some((id) => begun.has(id)))
    .map(({ position }) => position);
  if (positions.length === 0) return null;
  const skipped = await changeSteps(tx, planId, {
    from: ['pending', 'ready'],
    to: 'skipped',
    kind: 'step_skipped',
    detail: missedNote,
    where: sql`s.position = any(${sql.param(positions)}::int[])`,
    set: sql`, ended_at = clock_timestamp(), result_summary = ${missedNote}`,
  });
  return (await skipDependents(tx, planId, positions)) ?? skipped;
}
