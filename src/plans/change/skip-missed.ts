// Skips occurrences not started on their day, with a note.
import { sql } from 'drizzle-orm';
import type { Transaction } from '#db/database.ts';
import { findOverdue, readSeries } from '#db/plans/series.ts';
import { skipDependents } from '#db/sql/settle.ts';
import { changeSteps, type PlanProgress } from '#db/steps/accounting.ts';
import type { StepError } from '#domain/plan/plan.ts';
import type { PlansContext } from '../plans-context.ts';
import { keepUnbegun } from '../series/begun.ts';
import { isMissed, lateMs, readOccurrenceId } from '../series/series.ts';

const overdueATurn = 5000;
export const missedNote = 'Skipped: its day had passed before it could start.';

/** With dependents. */
export async function skipUnbegun(
  tx: Transaction,
  planId: string,
  positions: number[],
  note: string,
  error: StepError | null,
): Promise<PlanProgress | null> {
  const stored = error === null ? null : JSON.stringify(error);
  const skipped = await changeSteps(tx, planId, {
    from: ['pending', 'ready'],
    to: 'skipped',
    kind: 'step_skipped',
    detail: note,
    where: sql`s.position = any(${sql.param(positions)}::int[])`,
    set: sql`, ended_at = clock_timestamp(), result_summary = ${note}, error = coalesce(${stored}::jsonb, s.error)`,
  });
  return (await skipDependents(tx, planId, positions)) ?? skipped;
}

/** Occurrences without a begun step. Under the plan's lock. @returns null if nothing was missed */
export async function skipMissed(
  { clock }: Pick<PlansContext, 'clock'>,
  tx: Transaction,
  planId: string,
): Promise<PlanProgress | null> {
  const now = clock.now();
  const overdue = await findOverdue(tx, planId, new Date(now.getTime() - lateMs), overdueATurn);
  if (overdue.length === 0) return null;
  // Stopped series have occurrences left too.
  const series = await readSeries(tx, planId, true);
  const zones = new Map(
    series.flatMap(({ steps, timezone }) =>
      steps.flatMap(({ id }) => (id === undefined ? [] : [[id, timezone] as const])),
    ),
  );
  const templates = new Set(zones.keys());
  const missed = overdue.filter(({ id, not_before }) => {
    const timezone = zones.get(readOccurrenceId(id, templates)?.template ?? '');
    return timezone !== undefined && isMissed(new Date(not_before), timezone, now);
  });
  if (missed.length === 0) return null;
  // Begun occurrences are completed, however late.
  const unbegun = await keepUnbegun(tx, planId, series, missed);
  const positions = unbegun.map(({ position }) => position);
  if (positions.length === 0) return null;
  return skipUnbegun(tx, planId, positions, missedNote, null);
}
