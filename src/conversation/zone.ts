// Whose times people speak of: "tomorrow at 9:30" is theirs, wherever the house is. Each turn keeps the zone of those whose words it
// is about; cards that several read are drawn in it as well, so that they say the times which were agreed.
import type { Actor } from '#contracts/actor.ts';
import type { Queryable } from '#store/database.ts';
import { readPlanRow } from '#store/plans.ts';
import { type RunRow, readRun } from '#store/runs.ts';
import { checkTimezone } from '#timeline/recurrence.ts';

/** Where whoever speaks is; null: nobody knows, or it is no zone. */
export function zoneOf({ timezone }: Actor): string | null {
  return timezone === undefined || checkTimezone(timezone) !== null ? null : timezone;
}

/** Whether what is said to a run now is read by itself, and not together with what was asked for before. */
export function isReadAlone({ pause }: Pick<RunRow, 'pause'>): boolean {
  const { kind, resume } = pause ?? {};
  return kind === 'escalation' || resume === 'DRAFT_ROADMAP' || resume === 'DRAFT_SCHEDULE';
}

/** The zone of what was said last to a run; null: nobody knows it. */
export async function readZoneOfRun(db: Queryable, runId: string): Promise<string | null> {
  return (await readRun(db, runId)).decision?.timezone ?? null;
}

/** The zone of what a plan was made from; null: nobody knows it. @throws `plan_not_found` */
export async function readZoneOfPlan(db: Queryable, planId: string): Promise<string | null> {
  const { run_id } = await readPlanRow(db, planId);
  return run_id === null ? null : readZoneOfRun(db, run_id);
}
